// `npm run torture -- --kills N --seed N`: the headless program is killed at random moments of running plans and its record
// held against what it had shown; `--goals N` does it to goal sessions, `--attended N` to goals whose questions wait for
// somebody, `--fills N` fills its disk up instead. All of them without arguments: a thousand kills and fills, two hundred of the others.
import { BUILD, debianPackages, toolchains } from "./lib/machine.mjs";
import { main, must, part } from "./lib/run.mjs";

const wanted = process.argv.slice(2);
const rounds =
  wanted.length > 0
    ? [wanted]
    : [
        ["--kills", "1000"],
        ["--goals", "200"],
        ["--attended", "200"],
        ["--fills", "1000"],
      ];

await main(async () => {
  toolchains();
  await part("Getting ready", () => debianPackages(BUILD));
  await part("Building", () =>
    must("cargo", [
      "build",
      "--quiet",
      "-p",
      "planwright-cli",
      "-p",
      "planwright-worker",
      "-p",
      "planwright-tests",
      "--bins",
    ]),
  );
  for (const round of rounds) await part("Torture", () => must("target/debug/torture", round));
});
