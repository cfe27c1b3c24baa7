// `npm run dev`: the pages in a browser with a made-up session, reloaded as they are edited. Needs no Rust.
import { npmPackages } from "./lib/machine.mjs";
import { main, must } from "./lib/run.mjs";

await main(async () => {
  await npmPackages();
  await must("npm", ["run", "--silent", "ui:dev"]);
});
