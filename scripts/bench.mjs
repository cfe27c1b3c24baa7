// `npm run bench`: the benchmarks of the engine.
import { toolchains } from "./lib/machine.mjs";
import { main, must, part } from "./lib/run.mjs";

await main(async () => {
  toolchains();
  await part("Building the programs", () => must("cargo", ["build", "--release", "--bins", "--quiet"]));
  await part("Benchmarks", () => must("cargo", ["bench", "--workspace", "--exclude", "planwright-window"]));
});
