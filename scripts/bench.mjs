// `npm run bench`: the benchmarks of the engine, and of the waits in the window.
import { join } from "node:path";
import { pages } from "./lib/build.mjs";
import { BUILD, debianPackages, npmPackages, TESTS, toolchains } from "./lib/machine.mjs";
import { main, must, part, root } from "./lib/run.mjs";

await main(async () => {
  toolchains();
  await part("Getting ready", async () => {
    await debianPackages([...BUILD, ...TESTS]);
    await npmPackages();
  });
  await part("Building the pages", pages);
  await part("Building the programs (some minutes)", () =>
    must("cargo", ["build", "--workspace", "--bins", "--release", "--quiet"]),
  );
  await part("Benchmarks", () =>
    // As the programs were built: with other features all they need would be built again.
    must("cargo", ["bench", "--workspace", "--bench", "engine"]),
  );
  const window = { env: { PLANWRIGHT_E2E_PROGRAM: join(root, "target/release/planwright") } };
  for (const bench of ["dialog", "window"]) {
    await part(`The window: ${bench}`, () => must("node", [`tests/bench/${bench}.mjs`], window));
  }
});
