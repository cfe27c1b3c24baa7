// How each test program says how many tests passed and failed.

/** Adds up every match of `pattern`, whose groups are named `passed` and `failed`. */
function sum(text, pattern) {
  const total = { passed: 0, failed: 0 };
  for (const { groups } of text.matchAll(pattern)) {
    total.passed += Number(groups.passed ?? 0);
    total.failed += Number(groups.failed ?? 0);
  }
  return total;
}

export const nextest = (text) =>
  sum(text, /Summary \[.*?\] .*? run: (?<passed>\d+) passed(?: \(.*?\))?(?:, (?<failed>\d+) failed)?/g);

export const cargoTest = (text) =>
  sum(text, /test result: \w+\. (?<passed>\d+) passed; (?<failed>\d+) failed/g);

export const vitest = (text) =>
  sum(text, /^\s*Tests\s+(?:(?<failed>\d+) failed \| )?(?<passed>\d+) passed/gm);

export const nodeTest = (text) => {
  const passed = sum(text, /^(?:#|ℹ) pass (?<passed>\d+)/gm).passed;
  const failed = sum(text, /^(?:#|ℹ) (?:fail|cancelled) (?<failed>\d+)/gm).failed;
  return { passed, failed };
};
