// `npm run coverage`: how many of the engine's lines its tests run, by module and in all, and the figure in the README. Below
// 90 % it fails.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { BUILD, debianPackages, EXAMPLES, TESTS, toolchains } from "./lib/machine.mjs";
import { attempts, Failed, has, main, must, part, root } from "./lib/run.mjs";

const LEAST = 90;
const TARGET = join(root, "target/coverage");
const ENGINE = "src-tauri/engine/src/";
const TESTED = ["-p", "planwright-engine", "-p", "planwright-tests"];

await main(async () => {
  toolchains();
  await part("Getting ready", async () => {
    await debianPackages([...BUILD, ...EXAMPLES, ...TESTS]);
    if (has("rustup")) await must("rustup", ["component", "add", "llvm-tools"]);
    if (!has("cargo-llvm-cov")) await must("cargo", ["install", "cargo-llvm-cov", "--locked", "--quiet"]);
  });
  // Programs that the tests start count too, so everything is built and run in one environment.
  const env = { ...counting(), CARGO_TARGET_DIR: TARGET };
  await part("Building, to be counted (many minutes)", async () => {
    await must("cargo", ["llvm-cov", "clean", "--workspace"], { env });
    await must("cargo", ["build", "--quiet", "-p", "planwright-worker", "-p", "planwright-cli"], { env });
  });
  // A test that fails, as one that waits may in a build this slow, has run all the same.
  const { attempt, end } = attempts();
  await attempt("Tests", () => must("cargo", ["test", "--quiet", "--no-fail-fast", ...TESTED], { env }));
  await attempt("Counting", () => tell(measured(env)));
  end();
});

/** The variables under which cargo builds and runs what is counted. */
function counting() {
  const env = { ...process.env, CARGO_TARGET_DIR: TARGET };
  const told = spawnSync("cargo", ["llvm-cov", "show-env"], { cwd: root, env, encoding: "utf8" });
  if (told.status !== 0) throw new Failed(`cargo llvm-cov cannot be used: ${told.stderr.trim()}`);
  const lines = told.stdout.split("\n").map((line) => /^(\w+)=(['"]?)(.*)\2$/.exec(line.trim()));
  return Object.fromEntries(lines.filter(Boolean).map(([, name, , value]) => [name, value]));
}

/** Of each module of the engine, its lines and how many of them ran. */
function measured(env) {
  const report = spawnSync("cargo", ["llvm-cov", "report", "--json", "--summary-only"], {
    cwd: root,
    env: { ...process.env, ...env },
    encoding: "utf8",
    maxBuffer: 64 << 20,
  });
  if (report.status !== 0) throw new Failed(`The counts could not be read: ${report.stderr.trim()}`);
  const modules = new Map();
  for (const { filename, summary } of JSON.parse(report.stdout).data[0].files) {
    const file = relative(root, filename);
    if (!file.startsWith(ENGINE) || /(^|\/)tests?(\/|\.rs$)|_tests\.rs$|testing\.rs$/.test(file)) continue;
    const module = file.slice(ENGINE.length).split("/")[0].replace(/\.rs$/, "");
    const counts = modules.get(module) ?? { lines: 0, ran: 0 };
    counts.lines += summary.lines.count;
    counts.ran += summary.lines.covered;
    modules.set(module, counts);
  }
  return modules;
}

function tell(modules) {
  const all = { lines: 0, ran: 0 };
  for (const [module, counts] of [...modules].sort()) {
    console.log(`  ${module.padEnd(14)} ${percent(counts)} of ${String(counts.lines).padStart(6)} lines`);
    all.lines += counts.lines;
    all.ran += counts.ran;
  }
  const figure = `Coverage of the engine: ${percent(all).trim()} of ${all.lines} lines`;
  console.log(figure);
  const readme = join(root, "README.md");
  writeFileSync(readme, readFileSync(readme, "utf8").replace(/^Coverage of the engine: .*$/m, figure));
  if (!(all.ran * 100 >= all.lines * LEAST))
    throw new Failed(`At least ${LEAST} % of them have to run in tests.`);
}

function percent({ lines, ran }) {
  return `${((ran / lines) * 100).toFixed(1).padStart(5)} %`;
}
