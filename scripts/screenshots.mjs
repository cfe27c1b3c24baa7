// `npm run screenshots`: makes docs/screenshots from the real window: a plan in recovery, the question before a dangerous
// repair, and a conversation, each light and dark.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { pages, programs } from "./lib/build.mjs";
import { BUILD, debianPackages, EXAMPLES, npmPackages, TESTS, toolchains } from "./lib/machine.mjs";
import { main, must, part, root } from "./lib/run.mjs";

await main(async () => {
  toolchains();
  await part("Getting ready", async () => {
    await debianPackages([...BUILD, ...EXAMPLES, ...TESTS]);
    await npmPackages();
  });
  await part("Building the pages", pages);
  await part("Building the programs", programs);
  mkdirSync(join(root, "docs/screenshots"), { recursive: true });
  await part("Taking pictures", () => must("node", ["tests/e2e/pictures/take.mjs"]));
  console.log("\nThe pictures are in docs/screenshots.");
});
