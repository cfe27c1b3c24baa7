// `npm test`: the engine, the headless program, the parts of the window in Chromium, and the real window under Xvfb.
import { pages } from "./lib/build.mjs";
import { cargoTest, nextest, nodeTest, vitest } from "./lib/counts.mjs";
import {
  BUILD,
  debianPackages,
  EXAMPLES,
  npmPackages,
  TESTS,
  toolchains,
  uninstalled,
} from "./lib/machine.mjs";
import { attempts, Failed, has, main, must, part, tests } from "./lib/run.mjs";
import { watching } from "./lib/started.mjs";
import { localModel } from "./local-model.mjs";

/** The tests that a small real language model answers; without it they say that they skip. */
const WITH_MODEL = "model::local::";

/** Where nobody will build a second time, what speeds that up would cost more disk than all the rest. */
const ONCE = process.env.CI ? { CARGO_INCREMENTAL: "0" } : {};

const PACKAGES = [...BUILD, ...EXAMPLES, ...TESTS];

await main(async () => {
  toolchains();
  await part("Getting ready", async () => {
    await debianPackages(PACKAGES);
    await npmPackages();
  });
  const { attempt, skip, end } = attempts();
  const watched = watching();
  // Fetched and started while everything is built.
  const model = localModel();
  try {
    const hasPages = await attempt("Pages: build", pages);
    // Programs and tests in one call: the tests start the programs, and both share every dependency.
    const isBuilt = await attempt("Rust: build", () =>
      must("cargo", ["build", "--workspace", "--all-targets", "--quiet"], { env: ONCE }),
    );
    const url = await model.url;
    // Apart from the others, whose times it would spoil.
    const engine = "Rust: engine, headless program, bindings";
    if (isBuilt) await attempt(engine, () => rustTests(watched, { without: url && WITH_MODEL }));
    else skip(engine);
    if (url && isBuilt) {
      const env = { PLANWRIGHT_TEST_MODEL_URL: url };
      await attempt("Rust: a real model on this machine", () =>
        rustTests(watched, { only: WITH_MODEL, env }),
      );
    }
    await attempt("Pages: parts of the window in Chromium", () =>
      tests(...watched.words("npm", ["run", "--silent", "ui:test"]), vitest),
    );
    const window = "The real window";
    if (isBuilt && hasPages)
      await attempt(window, () =>
        tests(...watched.words("npm", ["run", "--silent", "--workspace", "tests/e2e", "test"]), nodeTest),
      );
    else skip(window);
    if (watched.isAllowed)
      await attempt("Every program that a test started is one that is installed", () =>
        checkPrograms(watched),
      );
  } finally {
    model.stop();
    watched.clear();
  }
  end();
});

/** Fails where a test needs a program of this machine that a bare one would not have. */
function checkPrograms(watched) {
  const started = watched.programs();
  if (started.length === 0) throw new Failed("No program was seen to start.");
  const strays = uninstalled(started, PACKAGES).map(({ path, name }) => `${path} (package ${name})`);
  if (strays.length > 0)
    throw new Failed(`Nothing in scripts/lib/machine.mjs installs ${strays.join(", ")}.`);
}

/** All of the Rust tests, or those whose names begin so, one at a time, or those whose names do not. */
function rustTests(watched, { only, without, env }) {
  // Always the whole workspace: one package alone would have its dependencies built anew, with fewer features.
  const crates = ["--workspace"];
  const cargo = (words, count) =>
    tests(...watched.words("cargo", words), count, { env: { ...ONCE, ...env } });
  if (has("cargo-nextest")) {
    const filter = only ? `test(/^${only}/)` : without ? `not test(/^${without}/)` : "all()";
    const words = ["--cargo-quiet", "--status-level", "fail", "--no-fail-fast", "-E", filter];
    // What one of them asks the model would make the others wait.
    if (only) words.push("--test-threads", "1");
    return cargo(["nextest", "run", ...crates, ...words], nextest);
  }
  const filter = only ? [only, "--test-threads=1"] : without ? ["--skip", without] : [];
  return cargo(["test", ...crates, "--quiet", "--no-fail-fast", "--", ...filter], cargoTest);
}
