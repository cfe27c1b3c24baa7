import { afterEach, describe, expect, it, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import { cleanup, render } from "vitest-browser-react";
import type { TerminalInput, TerminalScreen } from "@/ipc/bindings";
import { axeViolations } from "@/test/axe";
import { Feed, type FeedTarget } from "./feed";
import { isLeaveKey, linesOf } from "./keys";
import type { TerminalNews, TerminalSource } from "./source";
import { TerminalCard } from "./TerminalCard";
import { Typing } from "./typing";

const screenOf = (text: string, upto: number, running = true): TerminalScreen => ({
  rows: 24,
  cols: 80,
  text,
  upto,
  running,
});

/** Draws at once, or when told to. */
class Drawn implements FeedTarget {
  text = "";
  waiting: (() => void)[] = [];
  slow = false;
  write(text: string, drawn: () => void) {
    this.text += text;
    if (this.slow) this.waiting.push(drawn);
    else drawn();
  }
  restart() {
    this.text = "";
  }
}

describe("the feed", () => {
  it("draws each piece once and in order, whatever comes before the first screen", async () => {
    const drawn = new Drawn();
    let answer = (_: TerminalScreen) => {};
    const feed = new Feed(drawn, () => new Promise((resolve) => (answer = resolve)));
    const started = feed.start();
    feed.take({ after: 1, upto: 2, text: "b" });
    feed.take({ after: 2, upto: 3, text: "c" });
    answer(screenOf("ab", 2));
    expect(await started).toBe(true);
    feed.take({ after: 2, upto: 3, text: "c" });
    feed.take({ after: 3, upto: 5, text: "de" });
    expect(drawn.text).toBe("abcde");
  });

  it("takes the screen as it is where something is missing", async () => {
    const drawn = new Drawn();
    const screens = [screenOf("one", 1), screenOf("all", 9)];
    const feed = new Feed(drawn, async () => screens.shift() ?? null);
    await feed.start();
    feed.take({ after: 7, upto: 8, text: "lost" });
    await vi.waitFor(() => expect(drawn.text).toBe("all"));
    feed.take({ after: 9, upto: 10, text: "!" });
    expect(drawn.text).toBe("all!");
  });

  it("leaves a flood out that is not drawn in time, and shows its end", async () => {
    const drawn = new Drawn();
    const screens = [screenOf("", 0), screenOf("the end", 1000)];
    const feed = new Feed(drawn, async () => screens.shift() ?? null);
    await feed.start();
    drawn.slow = true;
    const piece = "x".repeat(64 * 1024);
    for (let after = 0; after < 1000; after++) feed.take({ after, upto: after + 1, text: piece });
    expect(drawn.text.length).toBeLessThan(500_000);
    expect(screens.length).toBe(1);
    for (const done of drawn.waiting.splice(0)) done();
    await vi.waitFor(() => expect(drawn.text).toBe("the end"));
  });
});

describe("typing", () => {
  it("goes in order, one call at a time", async () => {
    const sent: TerminalInput[] = [];
    const waiting: (() => void)[] = [];
    const typing = new Typing(
      (input) => {
        sent.push(input);
        return new Promise((resolve) => waiting.push(resolve));
      },
      () => {},
    );
    for (const key of "abc") typing.type(key);
    typing.resize(40, 100);
    typing.resize(41, 100);
    expect(sent).toEqual([{ type: "text", text: "a" }]);
    while (waiting.length > 0) {
      waiting.shift()?.();
      await Promise.resolve();
      await new Promise((resolve) => setTimeout(resolve));
    }
    expect(sent).toEqual([
      { type: "text", text: "a" },
      { type: "size", rows: 41, cols: 100 },
      { type: "text", text: "bc" },
    ]);
  });
});

it("knows its keys and lines", () => {
  const key = { key: "Escape", code: "Escape", ctrlKey: true, metaKey: false, shiftKey: true, altKey: false };
  expect(isLeaveKey(key)).toBe(true);
  expect(isLeaveKey({ ...key, shiftKey: false })).toBe(false);
  expect([linesOf("a"), linesOf("a\n"), linesOf("a\nb"), linesOf("a\r\nb\r\n")]).toEqual([1, 1, 2, 2]);
});

class Program implements TerminalSource {
  sent: TerminalInput[] = [];
  listener: (news: TerminalNews) => void = () => {};
  constructor(readonly shown: TerminalScreen | null) {}
  screen = async () => this.shown;
  onNews = (listener: (news: TerminalNews) => void) => {
    this.listener = listener;
    return () => {};
  };
  send = async (input: TerminalInput) => void this.sent.push(input);
  get typed() {
    return this.sent.map((input) => (input.type === "text" ? input.text : "")).join("");
  }
}

async function show(program: Program, running = true) {
  await render(
    <main className="w-[760px]">
      <h1>Plan</h1>
      <TerminalCard source={program} title="Edit it" running={running} fallback={<p>its output</p>} />
    </main>,
  );
}

const card = page.getByRole("region", { name: "Terminal: Edit it" });
const shown = () => document.querySelector(".xterm-rows")?.textContent ?? "";

afterEach(() => cleanup());

describe("the card", () => {
  it("shows the program, and every key goes to it but the one that leaves", async () => {
    document.documentElement.dataset.theme = "dark";
    const program = new Program(screenOf("ready> ", 4));
    await show(program);
    await expect.poll(shown).toContain("ready>");
    program.listener({ after: 4, upto: 5, text: "\u001b[31mred\u001b[m" });
    await expect.poll(shown).toContain("ready> red");
    expect(document.activeElement?.getAttribute("aria-label")).toBe("Terminal: Edit it");
    await userEvent.keyboard("hi{Tab}{Escape}{Enter}");
    await expect.poll(() => program.typed).toBe("hi\t\u001b\r");
    expect(program.sent.some((input) => input.type === "size" && input.cols > 40)).toBe(true);
    await userEvent.keyboard("{Control>}{Shift>}{Escape}{/Shift}{/Control}");
    await expect.element(card.getByRole("button", { name: "End program" })).toHaveFocus();
    expect(program.typed).toBe("hi\t\u001b\r");
    await userEvent.keyboard("{Enter}");
    await expect.poll(() => program.sent.at(-1)).toEqual({ type: "end" });
    expect(await axeViolations()).toEqual([]);
  });

  it("asks before several lines are pasted into a program that would run each", async () => {
    const program = new Program(screenOf("$ ", 1));
    await show(program);
    await expect.poll(shown).toContain("$");
    const paste = (text: string) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData("text/plain", text);
      const event = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
      document.activeElement?.dispatchEvent(event);
    };
    paste("one line");
    await expect.poll(() => program.typed).toBe("one line");
    paste("rm a\nrm b");
    await page.getByRole("button", { name: "Don't paste" }).click();
    expect(program.typed).toBe("one line");
    paste("rm a\nrm b");
    await page.getByRole("button", { name: "Paste", exact: true }).click();
    await expect.poll(() => program.typed).toBe("one linerm a\rrm b");
    program.listener({ after: 1, upto: 2, text: "\u001b[?2004h" });
    await new Promise((resolve) => setTimeout(resolve, 50));
    paste("x\ny");
    await expect.poll(() => program.typed).toContain("\u001b[200~x\ry\u001b[201~");
  });

  it("keeps the last screen to be read, and takes no key", async () => {
    document.documentElement.dataset.theme = "light";
    const program = new Program(screenOf("the last words", 9, false));
    await show(program, false);
    await expect.poll(shown).toContain("the last words");
    await expect.element(card.getByText("Ended. This is what stood there last.")).toBeVisible();
    await page.elementLocator(document.querySelector(".xterm-screen") as Element).click();
    await userEvent.keyboard("x");
    expect(program.sent).toEqual([]);
    await expect.element(card.getByRole("button", { name: "End program" })).not.toBeInTheDocument();
    expect(await axeViolations()).toEqual([]);
  });

  it("shows the output where no screen is kept", async () => {
    await show(new Program(null), false);
    await expect.element(page.getByText("its output")).toBeVisible();
  });
});
