// `npm run check`: everything that can be said about the code without running it.
import { pages } from "./lib/build.mjs";
import { elsewhere } from "./lib/elsewhere.mjs";
import { BUILD, debianPackages, npmPackages, toolchains } from "./lib/machine.mjs";
import { main, must, part, together } from "./lib/run.mjs";

await main(async () => {
  toolchains();
  await part("Getting ready", async () => {
    await debianPackages(BUILD);
    await npmPackages();
  });
  await part("Rust formatting", () => must("cargo", ["fmt", "--all", "--check"]));
  await part("Pages: types, lint, formatting, imports", () => must("npm", ["run", "--silent", "ui:check"]));
  await part("Scripts: lint, formatting", () =>
    must("npx", ["biome", "check", "--error-on-warnings", "scripts", "tests"]),
  );
  // The window's crate takes the built pages in.
  await part("Pages: build", pages);
  // Each of them has long stretches where all waits for one crate, and a folder of its own to build in.
  await together(
    part("Rust lints, the window included", () =>
      must("cargo", ["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"]),
    ),
    part("Rust for other systems", elsewhere),
  );
});
