// Figures of a benchmark as it prints them: median and 99th percentile, beside what is wanted where something is.

/** The first of `times` was to warm up. In milliseconds. */
export function print(name, times, bound) {
  const at = (part) => Math.round(share(times, part));
  const wanted = bound === undefined ? "" : ` (wanted: below ${bound} ms)`;
  console.log(`${name}: median ${at(0.5)} ms, p99 ${at(0.99)} ms${wanted}`);
}

/** The same of which `print` says the median. */
export function median(times) {
  return share(times, 0.5);
}

function share([, ...times], part) {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
}
