// Builds the parts of the program. One cargo call for all of the workspace, so that features, and with them the
// compiled dependencies, are the same each time.
import { must } from "./run.mjs";

/** The pages of the window. */
export const pages = () =>
  must("npm", ["run", "--silent", "--workspace", "ui", "build", "--", "--logLevel", "warn"]);

/** The programs, for trying out. */
export const programs = () => must("cargo", ["build", "--workspace", "--bins", "--quiet"]);
