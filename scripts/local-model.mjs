// Starts the small real model for tests and prints its address, or runs a command with it:
//   node scripts/local-model.mjs                       prints PLANWRIGHT_TEST_MODEL_URL=…, serves until Ctrl-C
//   node scripts/local-model.mjs -- cargo test …       the command sees PLANWRIGHT_TEST_MODEL_URL; ends with its status
// Where the model cannot be had, the command runs without it and its tests say that they skip.

import { spawn } from "node:child_process";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));

/** Resolves to the server's process and address; to null, with the reason on stderr, where it cannot be had. */
export function startLocalModel(folder = join(here, "..", "target", "local-model")) {
  return new Promise((resolve) => {
    const server = spawn("python3", [join(here, "local_model.py"), folder], {
      stdio: ["pipe", "pipe", process.env.PLANWRIGHT_LOG ? "inherit" : "ignore"],
    });
    const none = (reason) => {
      console.error(`The local model cannot be had (${reason}); its tests will skip.`);
      resolve(null);
    };
    server.once("error", (error) => none(error.message));
    server.once("exit", (code) => none(`its server ended with status ${code}; PLANWRIGHT_LOG=1 shows why`));
    createInterface({ input: server.stdout }).once("line", (url) => {
      server.removeAllListeners("exit");
      resolve({ url, stop: () => server.stdin.end() });
    });
  });
}

async function main() {
  const model = await startLocalModel();
  const [dashes, program, ...words] = process.argv.slice(2);
  if (dashes !== "--" || !program) {
    if (!model) process.exit(1);
    console.log(`PLANWRIGHT_TEST_MODEL_URL=${model.url}`);
    return;
  }
  const env = model ? { ...process.env, PLANWRIGHT_TEST_MODEL_URL: model.url } : process.env;
  const command = spawn(program, words, { stdio: "inherit", env });
  command.once("error", (error) => {
    console.error(error.message);
    model?.stop();
    process.exitCode = 1;
  });
  command.once("exit", (code) => {
    model?.stop();
    process.exitCode = code ?? 1;
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
