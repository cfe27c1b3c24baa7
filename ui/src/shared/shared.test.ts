import { describe, expect, it } from "vitest";
import {
  formatDuration,
  formatElapsed,
  formatEstimate,
  formatMoney,
  formatRelative,
  formatTokens,
} from "./format";
import { hiddenCharacters, scalarRange, tokenizeShell } from "./shellTokens";
import { countLines, lastLines, tailOf, terminalLines } from "./terminalLines";
import { wordDiff } from "./wordDiff";

describe("times", () => {
  it("reads as people say it", () => {
    expect(formatDuration(120)).toBe("0.1 s");
    expect(formatDuration(9_940)).toBe("9.9 s");
    expect(formatDuration(9_990)).toBe("10 s");
    expect(formatDuration(59_600)).toBe("1 min");
    expect(formatDuration(185_000)).toBe("3 min 5 s");
    expect(formatDuration(3_900_000)).toBe("1 h 5 min");
    expect(formatElapsed(12_900)).toBe("12 s");
    expect(formatEstimate(0.2)).toBe("about 1 s");
    const now = Date.parse("2026-03-02T12:00:00Z");
    expect(formatRelative("2026-03-02T11:59:30Z", now)).toBe("just now");
    expect(formatRelative("2026-03-02T11:59:00Z", now)).toBe("1 minute ago");
    expect(formatRelative("2026-03-01T11:00:00Z", now)).toBe("yesterday");
  });
});

describe("money and tokens", () => {
  it("rounds to cents, and says when it is less than one", () => {
    expect(formatMoney(0)).toBe("$0.00");
    expect(formatMoney(1)).toBe("less than $0.01");
    expect(formatMoney(10_000)).toBe("$0.01");
    expect(formatMoney(31_000)).toBe("$0.03");
    expect(formatMoney(1_234_567_890)).toBe("$1,234.57");
  });

  it("shortens large numbers and never shows a thousand thousands", () => {
    expect(formatTokens(999)).toBe("999");
    expect(formatTokens(1_000)).toBe("1k");
    expect(formatTokens(12_440)).toBe("12.4k");
    expect(formatTokens(131_072)).toBe("131k");
    expect(formatTokens(999_499)).toBe("999k");
    expect(formatTokens(999_500)).toBe("1M");
    expect(formatTokens(1_250_000)).toBe("1.3M");
  });
});

describe("commands", () => {
  it("covers the whole text with tokens", () => {
    for (const text of ['sudo rm -rf "$HOME/a b" && ls | wc -l # end', "echo 'open", "a\\", "$", "x=1 y"]) {
      const tokens = tokenizeShell(text);
      expect(tokens.map((token) => text.slice(token.start, token.end)).join("")).toBe(text);
    }
  });

  it("knows programs behind sudo and after operators", () => {
    const text = "sudo apt-get install -y x && PATH=/a make";
    const programs = tokenizeShell(text).filter((token) => token.kind === "program");
    expect(programs.map((token) => text.slice(token.start, token.end))).toEqual(["sudo", "apt-get", "make"]);
  });

  it("finds what cannot be seen and leaves plain text alone", () => {
    expect(hiddenCharacters("ls -la\n\tcafé 日本 שלום")).toEqual([]);
    expect(
      hiddenCharacters("a\u202eb\u200bc\u00a0d\u001be\u{e0041}\u3164").map((c) => [c.code, c.kind]),
    ).toEqual([
      ["U+202E", "bidi"],
      ["U+200B", "zeroWidth"],
      ["U+00A0", "space"],
      ["U+001B", "control"],
      ["U+E0041", "zeroWidth"],
      ["U+3164", "space"],
    ]);
  });

  it("turns scalar positions into string positions", () => {
    const text = "echo 😀 rm";
    const range = scalarRange(text, 7, 2);
    expect(text.slice(range.start, range.end)).toBe("rm");
  });

  it("tells old words from new ones", () => {
    const parts = wordDiff("pip install a", "pip install --user a");
    expect(
      parts
        .filter((part) => part.kind !== "added")
        .map((part) => part.text)
        .join(""),
    ).toBe("pip install a");
    expect(
      parts
        .filter((part) => part.kind !== "removed")
        .map((part) => part.text)
        .join(""),
    ).toBe("pip install --user a");
  });
});

describe("terminal output", () => {
  it("styles by class, keeps markup as text and settles redrawn lines", () => {
    const lines = terminalLines("10%\r50%\r100%\r\n\u001b[31m<b>bad</b>\u001b[0m done\n");
    expect(lines.map((line) => line.map((segment) => segment.text).join(""))).toEqual([
      "100%",
      "<b>bad</b> done",
    ]);
    expect(lines[1]?.[0]?.className).toBe("ansi-red-fg");
  });

  it("shows control and direction characters as a mark", () => {
    expect(terminalLines("a\u202eb\u0007c\td")[0]?.[0]?.text).toBe("a\ufffdb\ufffdc\td");
  });

  it("counts and cuts at lines", () => {
    expect([countLines(""), countLines("a"), countLines("a\n"), countLines("a\nb")]).toEqual([0, 1, 1, 2]);
    expect(tailOf("one\ntwo\nthree", 8)).toBe("three");
    expect(tailOf("one\ntwothree\n", 6)).toBe("three\n");
    expect([1, 2, 3, 4].map((lines) => lastLines("\na\nb\n", lines))).toEqual([
      "b\n",
      "a\nb\n",
      "\na\nb\n",
      "\na\nb\n",
    ]);
    expect(["", "\n", "\na", "a"].map((text) => lastLines(text, 1))).toEqual(["", "\n", "a", "a"]);
  });
});
