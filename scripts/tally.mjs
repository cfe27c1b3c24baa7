// The last line of `.ci/run`: how many checks and tests passed and failed in all the parts before.
import { existsSync, readFileSync } from "node:fs";

const [file, status] = process.argv.slice(2);
let passed = 0;
let failed = 0;
for (const line of existsSync(file) ? readFileSync(file, "utf8").split("\n") : []) {
  const [good = 0, bad = 0] = line.split(" ").map(Number);
  passed += good;
  failed += bad;
}
// Something that ended before it could count is a failure all the same.
if (status !== "0" && failed === 0) failed = 1;
console.log(`\n${passed} passed, ${failed} failed`);
