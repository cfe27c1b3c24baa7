// `npm test`: the engine, the headless program, the parts of the window in Chromium, and the real window under Xvfb.
import { pages } from "./lib/build.mjs";
import { cargoTest, nextest, nodeTest, vitest } from "./lib/counts.mjs";
import { BUILD, debianPackages, EXAMPLES, npmPackages, TESTS, toolchains } from "./lib/machine.mjs";
import { has, main, must, part, tests } from "./lib/run.mjs";

await main(async () => {
  toolchains();
  await part("Getting ready", async () => {
    await debianPackages([...BUILD, ...EXAMPLES, ...TESTS]);
    await npmPackages();
  });
  await part("Pages: build", pages);
  // Programs and tests in one call: the tests start the programs, and both share every dependency.
  await part("Rust: build", () => must("cargo", ["build", "--workspace", "--all-targets", "--quiet"]));
  await part("Rust: engine, headless program, bindings", rustTests);
  await part("Pages: parts of the window in Chromium", () =>
    tests("npm", ["run", "--silent", "ui:test"], vitest),
  );
  await part("The real window", () =>
    tests("npm", ["run", "--silent", "--workspace", "tests/e2e", "test"], nodeTest),
  );
});

function rustTests() {
  return has("cargo-nextest")
    ? tests(
        "cargo",
        ["nextest", "run", "--workspace", "--cargo-quiet", "--status-level", "fail", "--no-fail-fast"],
        nextest,
      )
    : tests("cargo", ["test", "--workspace", "--quiet", "--no-fail-fast"], cargoTest);
}
