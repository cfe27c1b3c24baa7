// `npm start`: makes the machine ready, builds, and opens the window; without a display it shows an example in the
// terminal instead.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pages, programs } from "./lib/build.mjs";
import { BUILD, debianPackages, EXAMPLES, npmPackages, toolchains } from "./lib/machine.mjs";
import { main, must, part, root } from "./lib/run.mjs";

const EXAMPLE = "photo-notes";

await main(async () => {
  toolchains();
  await part("Getting ready", async () => {
    await debianPackages([...BUILD, ...EXAMPLES]);
    await npmPackages();
  });
  await part("Building the pages", pages);
  await part("Building the programs (some minutes the first time)", programs);
  if (hasDisplay()) {
    console.log("\nOpening the window.");
    await must(join(root, "target/debug/planwright"), []);
    return;
  }
  const scratch = mkdtempSync(join(tmpdir(), "planwright-example-"));
  console.log(
    `\nThere is no display, so no window can be opened. Here is the example “${EXAMPLE}” in the terminal instead,`,
  );
  console.log(`in the scratch folder ${scratch}.\n`);
  await must(join(root, "target/debug/planwright-cli"), [
    ...["run", join(root, "examples", `${EXAMPLE}.md`)],
    ...["--mode", "agentic", "--policy", join(root, "examples/policy.toml"), "--cwd", scratch],
  ]);
});

function hasDisplay() {
  return process.platform !== "linux" || Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY);
}
