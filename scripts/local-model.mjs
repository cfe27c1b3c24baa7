// Starts the small real model for tests and prints its address, or runs a command with it:
//   node scripts/local-model.mjs                       prints PLANWRIGHT_TEST_MODEL_URL=…, serves until Ctrl-C
//   node scripts/local-model.mjs -- cargo test …       the command sees PLANWRIGHT_TEST_MODEL_URL; ends with its status
// Where the model cannot be had, the command runs without it and its tests say that they skip.

import { spawn } from "node:child_process";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));

/** How long fetching and starting may take before the tests go on without it. */
const PATIENCE = 240_000;

/**
 * Starts the model's server, which ends with `stop` or with this process. `url` resolves to its address; to null, with the
 * reason on stderr, where it cannot be had.
 */
export function localModel(folder = join(here, "..", "target", "local-model")) {
  // In a group of its own, so that what it fetches with can be stopped too.
  const server = spawn("python3", [join(here, "local_model.py"), folder], {
    stdio: ["pipe", "pipe", process.env.PLANWRIGHT_LOG ? "inherit" : "ignore"],
    detached: true,
  });
  const stop = () => {
    clearTimeout(timer);
    try {
      if (server.pid && server.exitCode === null) process.kill(-server.pid);
    } catch {
      // It is gone already.
    }
  };
  let timer;
  const url = new Promise((resolve) => {
    const none = (reason) => {
      stop();
      console.error(`The local model cannot be had (${reason}); its tests will skip.`);
      resolve(null);
    };
    timer = setTimeout(() => none(`it was not ready within ${PATIENCE / 1000} s`), PATIENCE);
    server.once("error", (error) => none(error.message));
    const ended = (code) => none(`its server ended with status ${code}; PLANWRIGHT_LOG=1 shows why`);
    server.once("exit", ended);
    createInterface({ input: server.stdout }).once("line", (line) => {
      clearTimeout(timer);
      server.removeListener("exit", ended);
      resolve(line);
    });
  });
  return { url, stop };
}

async function main() {
  const model = localModel();
  const url = await model.url;
  const [dashes, program, ...words] = process.argv.slice(2);
  if (dashes !== "--" || !program) {
    if (!url) process.exit(1);
    console.log(`PLANWRIGHT_TEST_MODEL_URL=${url}`);
    process.once("SIGINT", model.stop);
    process.once("SIGTERM", model.stop);
    return;
  }
  const env = url ? { ...process.env, PLANWRIGHT_TEST_MODEL_URL: url } : process.env;
  const command = spawn(program, words, { stdio: "inherit", env });
  command.once("error", (error) => {
    console.error(error.message);
    model.stop();
    process.exitCode = 1;
  });
  command.once("exit", (code) => {
    model.stop();
    process.exitCode = code ?? 1;
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
