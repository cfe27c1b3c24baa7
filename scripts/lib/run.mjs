// Runs programs for the other scripts: what is printed, what is counted, how a failure ends.
import { spawn, spawnSync } from "node:child_process";
import { appendFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url));

/** A failure that was explained already; nothing but its message is printed. */
export class Failed extends Error {}

/** Whether a program is on the PATH. */
export function has(program) {
  return spawnSync("sh", ["-c", `command -v "$1"`, "sh", program], { stdio: "ignore" }).status === 0;
}

/**
 * Runs a program in the project's folder with its output passed on. With `count` the output is also read for the number
 * of tests: `count(text)` gives `{ passed, failed }`.
 */
export function run(program, args, { env = {}, cwd = root, count } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: count ? ["inherit", "pipe", "pipe"] : "inherit",
    });
    let text = "";
    if (count) {
      for (const [from, to] of [
        [child.stdout, process.stdout],
        [child.stderr, process.stderr],
      ]) {
        from.setEncoding("utf8").on("data", (chunk) => {
          to.write(chunk);
          text += chunk;
        });
      }
    }
    child.on("error", (error) => reject(new Failed(`${program} could not be started: ${error.message}`)));
    child.on("close", (code, signal) => {
      resolve({ ok: code === 0, how: signal ?? `exit ${code}`, counts: count?.(plain(text)) });
    });
  });
}

/** The same, and a failure ends the script. */
export async function must(program, args, options) {
  const { ok, how } = await run(program, args, options);
  if (!ok) throw new Failed(`${[program, ...args].join(" ")} failed (${how}).`);
}

/**
 * One named part of a longer job. Its work is a list of programs or a function; it counts as one check unless the work counts
 * tests itself. The first part that fails ends the script.
 */
export async function part(name, work) {
  console.log(`\n▸ ${name}`);
  const began = Date.now();
  let passed = 0;
  let failed = 0;
  let trouble;
  try {
    const counts = await work();
    passed = counts?.passed ?? 1;
    failed = counts?.failed ?? 0;
  } catch (error) {
    if (!(error instanceof Failed)) throw error;
    passed = error.counts?.passed ?? 0;
    failed = Math.max(1, error.counts?.failed ?? 0);
    trouble = error.message;
  }
  tally(passed, failed);
  const seconds = ((Date.now() - began) / 1000).toFixed(1);
  if (trouble) throw new Failed(`✗ ${name} failed after ${seconds} s. ${trouble}`);
  console.log(`✓ ${name}: ${seconds} s${passed > 1 ? `, ${passed} passed` : ""}`);
}

/**
 * Parts of which each runs whatever became of those before it. `attempt` says whether it passed, `skip` counts one that cannot run
 * without what failed, and `end` fails the script where one of them did.
 */
export function attempts() {
  const failed = [];
  const note = (name, message) => {
    console.error(message);
    failed.push(name);
  };
  return {
    async attempt(name, work) {
      try {
        await part(name, work);
        return true;
      } catch (error) {
        if (!(error instanceof Failed)) throw error;
        note(name, error.message);
        return false;
      }
    },
    skip(name) {
      tally(0, 1);
      note(name, `\n✗ ${name}: not run, for what it needs could not be built.`);
    },
    end() {
      if (failed.length > 0) throw new Failed(`Failed: ${failed.join("; ")}.`);
    },
  };
}

/** Waits for parts that run side by side, each to its end; the first that failed ends the script. */
export async function together(...parts) {
  const ended = await Promise.allSettled(parts);
  const failed = ended.find(({ status }) => status === "rejected");
  if (failed) throw failed.reason;
}

/** Runs a test program and hands its counts to the part. */
export async function tests(program, args, count, options = {}) {
  const { ok, how, counts } = await run(program, args, { ...options, count });
  if (ok && counts.failed === 0 && counts.passed > 0) return counts;
  const why =
    ok && counts.passed === 0 ? "No test was found in its output." : `${program} ended with ${how}.`;
  throw Object.assign(new Failed(why), { counts });
}

/** Runs the body of a script; a failure is a sentence and exit status 1, never a stack. */
export async function main(body) {
  try {
    await body();
  } catch (error) {
    if (!(error instanceof Failed)) throw error;
    console.error(`\n${error.message}`);
    process.exitCode = 1;
  }
}

// `.ci/run` sums these lines up over several scripts.
function tally(passed, failed) {
  const file = process.env.PLANWRIGHT_TALLY;
  if (file) appendFileSync(file, `${passed} ${failed}\n`);
}

function plain(text) {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control characters.
  return text.replace(/\u001b\[[0-9;]*m/g, "");
}
