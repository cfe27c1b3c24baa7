/* The conversation in the whole window, on the host in memory. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { page, userEvent } from "vitest/browser";
import { cleanup } from "vitest-browser-react";
import type { AnswerPart, CallOutcome, Event, SessionId, Theme, ToolResult, TurnEnd } from "@/ipc/bindings";
import { assessment, photoServerPlan, repairApproval } from "@/ipc/demo/photoServer";
import { PORT_DIFF } from "@/ipc/demo/talkScript";
import type { FakeHost, FakeOptions } from "@/ipc/fakeHost";
import { axeViolations } from "@/test/axe";
import { box, talk as log, open } from "@/test/window";

/** A window that shows a session of its own. */
class Talk {
  readonly #host: FakeHost;
  readonly id: SessionId;

  constructor(host: FakeHost, id: SessionId) {
    this.#host = host;
    this.id = id;
  }

  record(...events: Event[]): void {
    this.#host.record(this.id, ...events);
  }

  says(messageId: string, text = "hello"): void {
    this.record({ type: "user-message", messageId, text, route: "chat", detection: null, replaces: null });
  }

  streams(messageId: string, text: string, round = 1): void {
    const deltas = [{ type: "text" as const, text }];
    this.#host.publish([{ type: "answer", sessionId: this.id, messageId, round, deltas }]);
  }

  answers(messageId: string, text: string, calls: AnswerPart[] = [], round = 1): void {
    const said: AnswerPart[] = text === "" ? [] : [{ type: "text", text }];
    const stopReason = calls.length > 0 ? "tool_use" : "end_turn";
    const parts = [...said, ...calls];
    this.record({ type: "assistant-message", messageId, round, model: "qwen-coder", parts, stopReason });
  }

  ends(messageId: string, end: TurnEnd = { type: "done" }, synthesis: string | null = null): void {
    this.record({ type: "turn-ended", messageId, end, synthesis });
  }
}

function calls(callId: string, tool: string, input: object = {}): AnswerPart {
  return { type: "call", callId, providerId: callId, tool, input: JSON.stringify(input) };
}

function starts(callId: string, command: string): Event {
  const action = { type: "shell", command } as const;
  return { type: "call-started", callId, action, cwd: "/w", allowedBy: { type: "mode" } };
}

function finishes(callId: string, tool: string, outcome: CallOutcome, more: Partial<ToolResult> = {}): Event {
  const at = new Date().toISOString();
  const result: ToolResult = {
    callId,
    tool,
    outcome,
    content: "",
    output: null,
    omittedLines: 0,
    exitStatus: null,
    diffs: [],
    filesChanged: [],
    startedAt: at,
    endedAt: at,
    ...more,
  };
  return { type: "call-finished", result, shell: null };
}

async function openTalk(options: FakeOptions = {}): Promise<{ host: FakeHost; talk: Talk }> {
  const host = await open(options);
  const { id } = await host.createSession({ title: "Talk", cwd: "/w" });
  const talk = new Talk(host, id);
  talk.says("m");
  await page.getByRole("button", { name: /^Talk/ }).click();
  await expect.element(log()).toBeVisible();
  return { host, talk };
}

/** A session that is not shown yet, with so many turns. */
async function makeLong(turns: number): Promise<void> {
  const host = await open();
  const { id } = await host.createSession({ title: "Long", cwd: "/w" });
  const talk = new Talk(host, id);
  for (let at = 0; at < turns; at += 1) {
    talk.says(`m${at}`, `question ${at}`);
    talk.answers(`m${at}`, `answer **${at}**\n\n- one\n- two`);
    talk.ends(`m${at}`);
  }
}

const frame = () => new Promise((done) => setTimeout(done, 80));

beforeEach(async () => {
  localStorage.clear();
  await page.viewport(1360, 860);
});
afterEach(() => cleanup());

describe("an answer", () => {
  it("never draws a finished block again, not even when the event takes its place", async () => {
    const { talk } = await openTalk();
    talk.streams("m", "First **para");
    await expect.element(log().getByText("para", { exact: true })).toBeVisible();
    // Bold from its first letter, without a star to be seen.
    expect(log().element().textContent).not.toContain("*");
    talk.streams("m", "graph**.\n\n- one\n- two\n\n```sh\nnpm te");
    await expect.element(log().getByText("npm te")).toBeVisible();
    const first = log().getByText("First", { exact: false }).element();
    const list = page.getByRole("list").last().element();
    const code = log().getByText("npm te").element().closest("[data-block]");
    const changes: MutationRecord[] = [];
    const observer = new MutationObserver((records) => changes.push(...records));
    for (const node of [first, list]) {
      observer.observe(node, { childList: true, subtree: true, characterData: true, attributes: true });
    }
    talk.streams("m", "st\n```\n\nThe end");
    await expect.element(log().getByText("npm test")).toBeVisible();
    const text = "First **paragraph**.\n\n- one\n- two\n\n```sh\nnpm test\n```\n\nThe end.";
    talk.answers("m", text);
    talk.ends("m");
    await expect.element(log().getByText("The end.")).toBeVisible();
    expect(first.isConnected && list.isConnected && code?.isConnected).toBe(true);
    expect(changes).toEqual([]);
    expect(log().element().textContent?.split("First").length).toBe(2);
  });

  it("runs no HTML, follows no link and fetches no image", async () => {
    const { talk } = await openTalk();
    const asked: string[] = [];
    const watch = new PerformanceObserver((list) =>
      asked.push(...list.getEntries().map((entry) => entry.name)),
    );
    watch.observe({ entryTypes: ["resource"] });
    talk.answers(
      "m",
      '<img src="http://127.0.0.1:9/a" onerror="window.ran=1"> <script>window.ran=1</script>\n\n' +
        "![a cat](http://127.0.0.1:9/cat.png) [docs](https://example.org/x) [bad](javascript:window.ran=1)\n\n" +
        "<div onclick='window.ran=1'>block</div>",
    );
    talk.ends("m");
    await expect.element(log().getByText("onerror", { exact: false })).toBeVisible();
    await expect.element(log().getByText("(https://example.org/x)")).toBeVisible();
    await expect.element(log().getByText("http://127.0.0.1:9/cat.png")).toBeVisible();
    await frame();
    expect(log().element().querySelectorAll("img, script, a, iframe, [onclick]")).toHaveLength(0);
    expect(log().element().textContent).not.toContain("javascript:");
    expect("ran" in window).toBe(false);
    expect(asked.filter((name) => name.includes("127.0.0.1:9"))).toEqual([]);
    watch.disconnect();
  });

  it("folds what was thought, and copies and explains commands", async () => {
    const { talk } = await openTalk();
    const thought: AnswerPart = { type: "reasoning", text: "Hidden thought", signature: null };
    talk.answers("m", "Try:\n\n```console\n$ ls -la\ntotal 0\n```", [thought]);
    talk.ends("m");
    await expect.element(log().getByText("Hidden thought")).not.toBeInTheDocument();
    await page.getByRole("button", { name: "Thought", exact: true }).click();
    await expect.element(log().getByText("Hidden thought")).toBeVisible();
    await page.getByRole("button", { name: "What would this do?" }).click();
    const dialog = page.getByRole("dialog", { name: "What would this do?" });
    await expect.element(dialog).toBeVisible();
    expect(dialog.element().textContent).toContain("ls -la");
    expect(dialog.element().textContent).not.toContain("total 0");
  });

  it("starts over when the attempt broke off", async () => {
    const { host, talk } = await openTalk();
    talk.streams("m", "Half an ans");
    await expect.element(log().getByText("Half an ans")).toBeVisible();
    host.publish([
      {
        type: "answer",
        sessionId: talk.id,
        messageId: "m",
        round: 1,
        deltas: [{ type: "restart" }, { type: "text", text: "Whole" }],
      },
    ]);
    await expect.element(log().getByText("Whole")).toBeVisible();
    expect(log().element().textContent).not.toContain("Half");
  });
});

describe("tool cards", () => {
  it("say what is done, where it stands, and what came of it", async () => {
    const { host, talk } = await openTalk();
    talk.answers("m", "", [
      calls("a", "shell", { command: "npm test" }),
      calls("b", "shell", { command: "false" }),
      calls("c", "shell", { command: "sleep 9" }),
      calls("d", "write_file", { path: "/w/x" }),
    ]);
    const card = (name: string) => page.getByRole("region", { name });
    await expect.element(card("Wants to run npm test")).toHaveTextContent("waiting");
    talk.record(starts("a", "npm test"));
    await expect.element(card("Running npm test")).toBeVisible();
    const chunks = [{ stream: "stdout" as const, text: "12 passed\n", atMillis: 5, fromByte: 0, bytes: 10 }];
    host.publish([{ type: "output", sessionId: talk.id, stepId: "a", attempt: 0, chunks }]);
    await expect.element(card("Running npm test").getByText("12 passed")).toBeVisible();
    talk.record(
      finishes("a", "shell", "success", { output: "12 passed\n", exitStatus: { type: "code", code: 0 } }),
      starts("b", "false"),
      finishes("b", "shell", "error", { output: "no\n", exitStatus: { type: "code", code: 1 } }),
      finishes("c", "shell", "interrupted"),
      finishes("d", "write_file", "declined"),
    );
    await expect.element(card("Ran npm test")).toBeVisible();
    await expect.element(page.getByText("12 passed")).not.toBeInTheDocument();
    await card("Ran npm test")
      .getByRole("button", { name: /^Ran npm test/ })
      .click();
    await expect.element(card("Ran npm test").getByText("12 passed")).toBeVisible();
    await expect.element(card("Ran false")).toHaveTextContent("exit 1");
    await expect.element(card("Wants to run sleep 9")).toHaveTextContent("interrupted");
    await expect.element(card("Wants to write x")).toHaveTextContent("not allowed");
  });

  it("show an edit with signs, asked about and done", async () => {
    const { talk } = await openTalk();
    talk.answers("m", "", [calls("a", "edit_file", { path: PORT_DIFF.path })]);
    const approval = {
      ...repairApproval("q", new Date().toISOString(), 0),
      stepId: "a",
      assessment: assessment("caution"),
      diffs: [PORT_DIFF],
    };
    talk.record({ type: "approval-needed", approval });
    const card = page.getByRole("region", { name: /^(Wants to edit|Edited) \/home/ });
    await expect.element(card).toHaveTextContent("needs your answer");
    await expect.element(card).toHaveTextContent("caution");
    await expect.element(card).toHaveTextContent("+");
    talk.record(
      {
        type: "approval-resolved",
        approvalId: "q",
        stepId: "a",
        answer: { type: "allow-once", editedCommand: null },
        allowedBy: { type: "user" },
      },
      starts("a", "edit"),
      finishes("a", "edit_file", "success", { diffs: [PORT_DIFF] }),
    );
    await expect.element(card).toHaveTextContent("2 lines added, 1 removed");
    await expect.element(card.getByText("added:").first()).toBeInTheDocument();
  });

  it("stand in one quiet line when they only look", async () => {
    const { talk } = await openTalk();
    talk.answers("m", "", [
      calls("a", "read_file", { path: "/w/a.ts" }),
      calls("b", "search", { pattern: "port" }),
    ]);
    talk.record(
      finishes("a", "read_file", "success", { content: "const a = 1" }),
      finishes("b", "search", "error", { content: "no such folder" }),
    );
    const line = page.getByRole("button", { name: "Read 1 file, searched 1 time" });
    await expect.element(page.getByText("1 failed")).toBeVisible();
    await line.click();
    await page.getByRole("button", { name: /a\.ts$/ }).click();
    await expect.element(page.getByText("const a = 1")).toBeVisible();
  });
});

describe("saying something", () => {
  it("makes a session, streams an answer, asks about the edit and ends", async () => {
    const host = await open({ speed: 20 });
    await userEvent.fill(box(), "why does the check fail?");
    await userEvent.keyboard("{Enter}");
    await expect.element(page.getByRole("alertdialog")).toBeVisible();
    await new Promise((done) => setTimeout(done, 500));
    await userEvent.keyboard("{Control>}{Enter}{/Control}");
    await expect
      .element(page.getByRole("heading", { name: "The check asks at the right port now" }))
      .toBeVisible();
    expect(host.submitted.map(({ command }) => command.type)).toEqual(["say", "answer"]);
    await expect.element(page.getByRole("status").filter({ hasText: "Answer: " })).toBeInTheDocument();
    await expect.element(box()).toHaveValue("");
  });

  it("goes the way that is chosen, and shows the plan where it was made", async () => {
    const host = await open();
    await page.getByRole("button", { name: "What to do with it: Auto" }).click();
    await page.getByRole("menuitemradio", { name: /^Plan/ }).click();
    await expect.element(box()).toHaveFocus();
    await userEvent.keyboard("set it up{Enter}");
    const card = page.getByRole("region", { name: /^Made here/ });
    await expect.element(card).toHaveTextContent("waits for you to confirm it");
    await expect.element(card).toHaveTextContent("and 3 more steps");
    expect(host.submitted[0]?.command).toEqual({
      type: "say",
      text: "set it up",
      route: "plan",
      replaces: null,
    });
    await card.getByRole("button", { name: "Show the plan" }).click();
    await expect.poll(() => document.activeElement?.textContent).toContain("Set up the photo server");
  });

  it("goes another way by key", async () => {
    const host = await open();
    await userEvent.keyboard("{Alt>}2{/Alt}");
    await expect.element(page.getByRole("button", { name: "What to do with it: Chat" })).toBeVisible();
    await userEvent.keyboard("install everything{Enter}");
    await expect
      .poll(() => host.submitted[0]?.command)
      .toMatchObject({ route: "chat", text: "install everything" });
  });

  it("says why it plans or not, and takes the other way", async () => {
    const host = await open();
    await userEvent.fill(box(), "install a.sh and b.py");
    await userEvent.keyboard("{Enter}");
    await expect.element(page.getByText("Plan: it says “install”, names 2 files")).toBeVisible();
    await page.getByRole("button", { name: "Chat instead" }).click();
    await expect
      .poll(() => host.submitted.at(-1)?.command)
      .toMatchObject({ route: "chat", replaces: expect.any(String) });
  });

  it("without a model follows pages, and leads to the settings", async () => {
    await open({ settings: { mainModel: null } });
    await page.getByRole("button", { name: "What to do with it: Auto" }).click();
    const chat = page.getByRole("menuitemradio", { name: /^Chat/ });
    await expect.element(chat).toHaveTextContent("Needs a model. Choose one in Settings.");
    await expect.element(chat).toHaveAttribute("aria-disabled", "true");
    await userEvent.keyboard("{Escape}");
    await userEvent.fill(box(), "please tidy my disk");
    await userEvent.keyboard("{Enter}");
    await page.getByRole("button", { name: "Set up a model" }).click();
    await expect.element(page.getByRole("heading", { name: "Settings" })).toBeVisible();
  });

  it("rewrites an earlier message, and gives the draft back on Esc", async () => {
    const { host, talk } = await openTalk();
    talk.answers("m", "Hi.");
    talk.ends("m");
    await userEvent.fill(box(), "a draft");
    await page.getByRole("button", { name: "Edit and resend" }).click();
    await expect.element(page.getByText("Editing an earlier message")).toBeVisible();
    await expect.element(box()).toHaveValue("hello");
    await expect.element(box()).toHaveFocus();
    await userEvent.keyboard("{Escape}");
    await expect.element(box()).toHaveValue("a draft");
    await page.getByRole("button", { name: "Edit and resend" }).click();
    await userEvent.fill(box(), "hello again");
    await userEvent.keyboard("{Enter}");
    await expect
      .poll(() => host.submitted.at(-1)?.command)
      .toEqual({
        type: "say",
        text: "hello again",
        route: "auto",
        replaces: "m",
      });
    await expect.element(page.getByText("Editing an earlier message")).not.toBeInTheDocument();
    await expect.element(box()).toHaveValue("a draft");
    expect(log().element().textContent).not.toContain("Hi.");
  });

  it("brings back what was said before", async () => {
    const { talk } = await openTalk();
    talk.answers("m", "Hi.");
    talk.ends("m");
    talk.says("n", "and then");
    talk.ends("n", { type: "interrupted" });
    await box().click();
    await userEvent.keyboard("{ArrowUp}");
    await expect.element(box()).toHaveValue("and then");
    await userEvent.keyboard("{ArrowUp}");
    await expect.element(box()).toHaveValue("hello");
    await userEvent.keyboard("{ArrowDown}{ArrowDown}");
    await expect.element(box()).toHaveValue("");
    await userEvent.fill(box(), "own words");
    await userEvent.keyboard("{ArrowUp}");
    await expect.element(box()).toHaveValue("own words");
  });
});

describe("stopping", () => {
  it("is one key from anywhere, and the last thing that Esc does", async () => {
    const { host, talk } = await openTalk();
    talk.streams("m", "And so on");
    await page.getByRole("button", { name: "What to do with it: Auto" }).click();
    await userEvent.keyboard("{Escape}");
    await frame();
    expect(host.submitted).toEqual([]);
    await userEvent.keyboard("{Escape}");
    await expect.element(log().getByText("You stopped this here.")).toBeVisible();
    expect(host.submitted.map(({ command }) => command.type)).toEqual(["interrupt"]);
    await userEvent.keyboard("{Escape}");
    await frame();
    expect(host.submitted).toHaveLength(1);
  });

  it("is a button while something is worked on", async () => {
    const { host } = await openTalk();
    await page.getByRole("button", { name: "Stop the answer" }).click();
    await expect.poll(() => host.submitted.map(({ command }) => command.type)).toEqual(["interrupt"]);
    await expect.element(page.getByRole("button", { name: "Stop the answer" })).not.toBeInTheDocument();
    await expect.element(page.getByRole("button", { name: "Send", exact: true })).toBeDisabled();
  });
});

describe("how a turn ends", () => {
  it("says what went wrong and tries again", async () => {
    const { host, talk } = await openTalk();
    talk.ends("m", { type: "failed", code: "rejected-key", message: "The key was not taken." });
    await expect.element(page.getByText("The key was not taken.").first()).toBeVisible();
    await page.getByRole("button", { name: "Try again" }).click();
    await expect
      .poll(() => host.submitted[0]?.command)
      .toEqual({ type: "say", text: "hello", route: "chat", replaces: "m" });
  });

  it("goes on after a limit", async () => {
    const { host, talk } = await openTalk();
    talk.ends("m", { type: "rounds", allowed: 25 }, "Read **two** files.");
    await expect.element(log().getByText("Stopped after 25 rounds of tools", { exact: false })).toBeVisible();
    await page.getByRole("button", { name: "Go on" }).click();
    await expect.poll(() => host.submitted[0]?.command).toMatchObject({ text: "Go on.", replaces: null });
    await expect.element(page.getByRole("button", { name: "Go on" })).not.toBeInTheDocument();
  });

  it("counts a wait down while it lasts", async () => {
    const { talk } = await openTalk();
    talk.record({
      type: "model-retrying",
      purpose: "conversation",
      model: "qwen",
      attempt: 1,
      allowed: 3,
      waitMillis: 900,
      reason: "it is busy",
    });
    await expect.element(log().getByText("Asks again in 1 s (1 of 3).", { exact: false })).toBeVisible();
    await expect.element(log().getByText("Asked again (1 of 3).", { exact: false })).toBeVisible();
  });
});

describe("a long conversation", () => {
  it("stays at its end until the reader scrolls up, then offers the way back", async () => {
    const { talk } = await openTalk();
    const gap = () => {
      const { scrollHeight, scrollTop, clientHeight } = log().element();
      return scrollHeight - scrollTop - clientHeight;
    };
    const page40 = Array.from({ length: 40 }, (_, at) => `Paragraph ${at}.`).join("\n\n");
    talk.streams("m", page40);
    await expect.element(log().getByText("Paragraph 39.")).toBeVisible();
    await expect.poll(gap).toBeLessThan(2);
    log().element().scrollTop = 100;
    await expect.element(page.getByRole("button", { name: "Jump to latest" })).toBeVisible();
    talk.streams("m", "\n\nmore\n\nand more");
    await frame();
    expect(log().element().scrollTop).toBe(100);
    await page.getByRole("button", { name: "Jump to latest" }).click();
    await expect.poll(gap).toBeLessThan(2);
    log().element().scrollTop = 100;
    await frame();
    talk.answers("m", page40);
    talk.ends("m");
    talk.says("n", "next");
    await expect.poll(gap).toBeLessThan(2);
  });

  it("opens with 400 entries at once and says how many came before", async () => {
    await makeLong(140);
    const before = performance.now();
    await page.getByRole("button", { name: /^Long/ }).click();
    await expect.element(log().getByText("answer 139")).toBeVisible();
    expect(performance.now() - before).toBeLessThan(3_000);
    await expect
      .element(page.getByText("20 earlier entries are not shown.", { exact: false }))
      .toBeInTheDocument();
    // The older rows come when that is done, and move nothing that is looked at.
    const pane = log().element();
    const distance = () => pane.scrollHeight - pane.scrollTop;
    pane.scrollTop = pane.scrollHeight / 2;
    await frame();
    const looked = distance();
    await expect.element(log().getByText("question 20", { exact: true })).toBeInTheDocument();
    expect(Math.abs(distance() - looked)).toBeLessThan(20);
  });

  it("leaves out what is far from the reader, and keeps what they hold", async () => {
    await makeLong(60);
    await page.getByRole("button", { name: /^Long/ }).click();
    const first = log().getByText("question 0", { exact: true });
    const last = log().getByText("question 59", { exact: true });
    const early = log().getByText("question 40", { exact: true });
    await expect.element(last).toBeVisible();
    await expect.element(first).toBeInTheDocument();
    await expect.element(first).not.toBeVisible();
    const pane = log().element();
    pane.scrollTop = 0;
    await expect.element(first).toBeVisible();
    await expect.element(early).not.toBeVisible();
    // The end is always there: what is new is told by it.
    await expect.element(last).toBeVisible();
    // Up again step by step: what is looked at stays in its place, whatever the rows above turn out to measure.
    await page.getByRole("button", { name: "Jump to latest" }).click();
    await expect.element(first).not.toBeVisible();
    const seen = log().getByText("question 56", { exact: true });
    await expect.element(seen).toBeVisible();
    const top = () => seen.element().getBoundingClientRect().top;
    for (let step = 0; step < 4; step += 1) {
      const at = top();
      pane.scrollTop -= 150;
      await frame();
      await frame();
      expect(Math.abs(top() - at - 150)).toBeLessThan(2);
    }
    // A selection would be lost with its row.
    document.getSelection()?.selectAllChildren(last.element());
    await userEvent.keyboard("{Tab}");
    pane.scrollTop = 0;
    await expect.element(first).toBeVisible();
    expect(document.getSelection()?.toString()).toBe("question 59");
  });
});

describe.each(["light", "dark", "contrast"] satisfies Theme[])("accessibility, %s", (theme) => {
  it("has no findings", async () => {
    const { talk } = await openTalk({ settings: { theme } });
    const thought: AnswerPart = { type: "reasoning", text: "Hm.", signature: null };
    talk.answers(
      "m",
      "## Title\n\nSome `code`, **bold**, [a link](https://example.org).\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n- [x] done\n- [ ] open\n\n```sh\nls\n```\n\n> quoted\n\n![x](y.png)",
      [
        thought,
        calls("a", "shell", { command: "false" }),
        calls("b", "edit_file", { path: "/w/a" }),
        calls("c", "read_file", { path: "/w/a" }),
        calls("d", "ask_user", { question: "Which one?" }),
      ],
    );
    talk.record(
      starts("a", "false"),
      finishes("a", "shell", "error", { output: "no\n", exitStatus: { type: "code", code: 1 } }),
      starts("b", "edit"),
      finishes("b", "edit_file", "success", { diffs: [PORT_DIFF] }),
      finishes("c", "read_file", "error", { content: "no" }),
      finishes("d", "ask_user", "success"),
      {
        type: "plan-generated",
        plan: { ...photoServerPlan("p"), origin: { type: "model", name: "x", messageId: "m" } },
      },
      { type: "cap-warning", cap: "cost", used: 800_000, allowed: 1_000_000 },
    );
    talk.ends("m", { type: "failed", code: "network", message: "No network." });
    await expect.element(page.getByRole("button", { name: "Try again" })).toBeVisible();
    // The first message is far from the end by now.
    log().element().scrollTop = 0;
    await page.getByRole("button", { name: "Edit and resend" }).click();
    expect(await axeViolations()).toEqual([]);
    await page.getByRole("button", { name: "What to do with it: Auto" }).click();
    expect(await axeViolations()).toEqual([]);
  });
});

describe("the project's instructions", () => {
  it("are asked about, shown while they are read, and can be left out again", async () => {
    const { host, talk } = await openTalk();
    const found = [
      {
        folder: "/w",
        files: [
          { name: "AGENTS.md", text: "Write British English.", bytes: 22, cut: false },
          { name: "GEMINI.md", text: "Long.", bytes: 400000, cut: true },
        ],
        digest: "d",
        changed: false,
        reading: "asked" as const,
      },
    ];
    talk.record({ type: "instructions-found", found });
    const card = log().getByRole("region", { name: /instructions to the model/ });
    await expect.element(card.getByText("Write British English.")).toBeVisible();
    await expect.element(card.getByText(/GEMINI.md \(the beginning of its 400 kB\) in/)).toBeVisible();
    expect(await axeViolations()).toEqual([]);
    await card.getByRole("button", { name: "Read to the model" }).click();
    const answer = { type: "answer-instructions", folder: "/w", digest: "d", read: true };
    expect(host.submitted.at(-1)?.command).toEqual(answer);
    const line = log().getByRole("button", { name: /is read to the model/ });
    await line.click();
    await log().getByRole("button", { name: "Leave them out from now on" }).click();
    await expect.element(log().getByRole("button", { name: /is not read to the model/ })).toBeVisible();
  });
});
