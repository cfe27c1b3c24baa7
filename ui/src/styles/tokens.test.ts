/* Text must be readable on every ground it stands on, in every theme: 4.5 to 1 (WCAG AA). */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const css = readFileSync(new URL("./tokens.css", import.meta.url), "utf8");

function theme(name: string): Map<string, string> {
  const block = new RegExp(`\\[data-theme="${name}"\\]\\s*\\{([^}]*)\\}`).exec(css)?.[1] ?? "";
  return new Map(
    [...block.matchAll(/--([\w-]+):\s*(#[0-9a-f]{6});/g)].map((match) => [match[1] ?? "", match[2] ?? ""]),
  );
}

function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: string, b: string): number {
  const [light = 0, dark = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (light + 0.05) / (dark + 0.05);
}

const GROUNDS = ["bg", "panel", "raised", "sunken"];
const pairs: [string, string][] = [
  ...["ink", "ink-2", "ink-3"].flatMap((ink) => GROUNDS.map((ground): [string, string] => [ink, ground])),
  ...["agentic-ink", "safe", "caution", "danger"].flatMap((ink) =>
    ["bg", "panel", "raised", "agentic-tint"].map((ground): [string, string] => [ink, ground]),
  ),
  ["ink-2", "agentic-tint"],
  ["ink-3", "agentic-tint"],
  ["ink-2", "caution-tint"],
  ["ink-2", "danger-tint"],
  ["ink-2", "safe-tint"],
  ["danger", "danger-tint"],
  ["caution", "caution-tint"],
  ["safe", "safe-tint"],
  ["blocked", "blocked-tint"],
  ["teacher", "teacher-tint"],
  ["planner", "planner-tint"],
  ...["agentic", "planner", "teacher", "danger"].map((mode): [string, string] => ["on-fill", `${mode}-fill`]),
  ["ink-inverse", "ink"],
  ["term-ink", "term"],
  ["term-dim", "term"],
  ["term-error", "term"],
];

describe.each(["light", "dark", "contrast"])("%s", (name) => {
  const colours = theme(name);
  it.each(pairs)("%s on %s", (ink, ground) => {
    expect(contrast(colours.get(ink) ?? "", colours.get(ground) ?? "")).toBeGreaterThanOrEqual(4.5);
  });
});
