import { expect, it, vi } from "vitest";
import { LiveOutputStore, MAX_LIVE_ATTEMPTS, MAX_LIVE_CHARS } from "./liveOutput";

const chunk = (text: string, fromByte = 0) => [
  { stream: "stdout" as const, text, atMillis: 0, fromByte, bytes: text.length },
];

it("joins what comes and tells only the listeners of that attempt", () => {
  const store = new LiveOutputStore();
  const mine = vi.fn();
  const other = vi.fn();
  store.subscribe("s", "a", 0, mine);
  store.subscribe("s", "a", 1, other);
  store.append("s", "a", 0, chunk("one\n"));
  store.append("s", "a", 0, chunk("two\n", 4));
  expect(store.get("s", "a", 0)).toEqual({ text: "one\ntwo\n", newlines: 2, end: 8 });
  expect(mine).toHaveBeenCalledTimes(2);
  expect(other).not.toHaveBeenCalled();
});

it("says where something was left out, also at the end", () => {
  const store = new LiveOutputStore();
  store.append("s", "a", 0, chunk("one"));
  store.append("s", "a", 0, chunk("two\n", 1_503));
  store.append("s", "a", 0, chunk("", 2_000_000));
  expect(store.get("s", "a", 0).text).toBe(
    "one\n[… 1.5 kB not shown here, “Open in full” has it …]\ntwo\n[… 2.0 MB not shown here, “Open in full” has it …]\n",
  );
});

it("stays bounded under a flood, cutting at a line and counting all that came", () => {
  const store = new LiveOutputStore();
  const line = `${"x".repeat(99)}\n`;
  for (let sent = 0; sent < 5000; sent += 1) {
    store.append("s", "a", 0, chunk(line));
    expect(store.get("s", "a", 0).text.length).toBeLessThanOrEqual(MAX_LIVE_CHARS);
  }
  const { text, newlines } = store.get("s", "a", 0);
  expect(text.length).toBeGreaterThan(MAX_LIVE_CHARS / 2 - line.length);
  expect(text.replaceAll(line, "")).toBe("");
  expect(newlines).toBe(5000);
});

it("keeps the end of a line that is longer than all that is kept", () => {
  const store = new LiveOutputStore();
  store.append("s", "a", 0, chunk(`${"x".repeat(3 * MAX_LIVE_CHARS)}\n`));
  const { text, newlines } = store.get("s", "a", 0);
  expect(text).toBe(`${"x".repeat(MAX_LIVE_CHARS / 2 - 1)}\n`);
  expect(newlines).toBe(1);
});

it("keeps a bounded number of attempts and forgets a session", () => {
  const store = new LiveOutputStore();
  for (let attempt = 0; attempt <= MAX_LIVE_ATTEMPTS; attempt += 1)
    store.append("s", "a", attempt, chunk("x"));
  expect(store.get("s", "a", 0).text).toBe("");
  expect(store.get("s", "a", MAX_LIVE_ATTEMPTS).text).toBe("x");
  store.forget("s");
  expect(store.get("s", "a", MAX_LIVE_ATTEMPTS).text).toBe("");
});
