// `npm test`: the engine, the headless program, the parts of the window in Chromium, and the real window under Xvfb.
import { pages } from "./lib/build.mjs";
import { cargoTest, nextest, nodeTest, vitest } from "./lib/counts.mjs";
import { BUILD, debianPackages, EXAMPLES, npmPackages, TESTS, toolchains } from "./lib/machine.mjs";
import { has, main, must, part, tests } from "./lib/run.mjs";
import { localModel } from "./local-model.mjs";

/** The tests that a small real language model answers; without it they say that they skip. */
const WITH_MODEL = "model::local::";

await main(async () => {
  toolchains();
  await part("Getting ready", async () => {
    await debianPackages([...BUILD, ...EXAMPLES, ...TESTS]);
    await npmPackages();
  });
  // Fetched and started while everything is built.
  const model = localModel();
  try {
    await part("Pages: build", pages);
    // Programs and tests in one call: the tests start the programs, and both share every dependency.
    await part("Rust: build", () => must("cargo", ["build", "--workspace", "--all-targets", "--quiet"]));
    const url = await model.url;
    // Apart from the others, whose times it would spoil.
    await part("Rust: engine, headless program, bindings", () => rustTests({ without: url && WITH_MODEL }));
    if (url) {
      const env = { PLANWRIGHT_TEST_MODEL_URL: url };
      await part("Rust: a real model on this machine", () => rustTests({ only: WITH_MODEL, env }));
    }
  } finally {
    model.stop();
  }
  await part("Pages: parts of the window in Chromium", () =>
    tests("npm", ["run", "--silent", "ui:test"], vitest),
  );
  await part("The real window", () =>
    tests("npm", ["run", "--silent", "--workspace", "tests/e2e", "test"], nodeTest),
  );
});

/** All of the Rust tests, or those whose names begin so, one at a time, or those whose names do not. */
function rustTests({ only, without, env }) {
  // Always the whole workspace: one package alone would have its dependencies built anew, with fewer features.
  const crates = ["--workspace"];
  if (has("cargo-nextest")) {
    const filter = only ? `test(/^${only}/)` : without ? `not test(/^${without}/)` : "all()";
    const words = ["--cargo-quiet", "--status-level", "fail", "--no-fail-fast", "-E", filter];
    // What one of them asks the model would make the others wait.
    if (only) words.push("--test-threads", "1");
    return tests("cargo", ["nextest", "run", ...crates, ...words], nextest, { env });
  }
  const filter = only ? [only, "--test-threads=1"] : without ? ["--skip", without] : [];
  const words = ["--quiet", "--no-fail-fast", "--", ...filter];
  return tests("cargo", ["test", ...crates, ...words], cargoTest, { env });
}
