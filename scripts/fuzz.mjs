// `npm run fuzz -- --runs N --seed N`: hostile shell text through the whole analyser, in release build. Before it, every
// wrapper with every command and every way to write it, each line proved by real bash, and every harmful command of the corpora
// in every text that may stand around it.
import { BUILD, debianPackages, toolchains } from "./lib/machine.mjs";
import { main, must, part } from "./lib/run.mjs";

await main(async () => {
  toolchains();
  await part("Getting ready", () => debianPackages(BUILD));
  await part("Building", () =>
    must("cargo", ["build", "--release", "--quiet", "-p", "planwright-worker", "-p", "planwright-fuzz"]),
  );
  await part("Every command in every wrapper and every text", () =>
    must("cargo", ["test", "--quiet", "-p", "planwright-engine", "--lib", "risk::", "--", "--ignored"]),
  );
  await part("Hostile texts", () => must("target/release/planwright-fuzz", process.argv.slice(2)));
});
