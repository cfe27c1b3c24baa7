// Which programs the tests start, as the kernel tells it: only to root, and not in every container.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { has } from "./run.mjs";

const SCRIPT = fileURLToPath(new URL("started.py", import.meta.url));

/**
 * `words(program, args)` are the words that run a program watched, where that `isAllowed`, and the same words otherwise; `programs()` is
 * what was started by all of them.
 */
export function watching() {
  const folder = mkdtempSync(join(tmpdir(), "planwright-started-"));
  const list = join(folder, "programs");
  const watched = (program, args) => ["python3", [SCRIPT, list, program, ...args]];
  const isAllowed = has("python3") && has("dpkg-query") && trial(list, watched("true", []));
  if (!isAllowed)
    console.log("Which programs the tests start is not looked at: that takes root, and a kernel that tells.");
  return {
    isAllowed,
    words: (program, args) => (isAllowed ? watched(program, args) : [program, args]),
    programs: () => [...new Set(readFileSync(list, "utf8").split("\n").filter(Boolean))],
    clear: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function trial(list, [program, args]) {
  spawnSync(program, args, { stdio: "ignore" });
  return existsSync(list);
}
