/* A goal in the whole window, on the host in memory: set, shown, steered, ended. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { page, userEvent } from "vitest/browser";
import { cleanup } from "vitest-browser-react";
import type { GoalEnd, Theme } from "@/ipc/bindings";
import { repairApproval } from "@/ipc/demo/photoServer";
import { engineError } from "@/ipc/engineError";
import { GUARD_MS } from "@/shared/useInputGuard";
import { axeViolations } from "@/test/axe";
import { openGoal, openGoalNarrow, type Pursuit, panel, todos } from "@/test/pursuit";
import { box, open, talk } from "@/test/window";

beforeEach(async () => {
  localStorage.clear();
  await page.viewport(1360, 860);
});
afterEach(() => cleanup());

describe("setting a goal", () => {
  it("is a choice of the composer with a key, a check and a number of iterations", async () => {
    const host = await open();
    await userEvent.keyboard("{Alt>}6{/Alt}");
    await box().fill("Free 5 GB");
    await page.getByRole("radio", { name: "A command succeeds" }).click();
    await page.getByRole("button", { name: "Pursue this goal" }).click();
    await expect.element(page.getByRole("alert")).toHaveTextContent(/Write the command that must succeed/);
    await page.getByRole("textbox", { name: "The command that must succeed" }).fill("test -d out");
    await page.getByRole("textbox", { name: "At most iterations" }).fill("12");
    await page.getByRole("textbox", { name: "Good to know" }).fill("Leave ~/Music alone.");
    await page.getByRole("button", { name: "Pursue this goal" }).click();
    await expect.element(page.getByRole("heading", { name: "Free 5 GB" })).toBeVisible();
    expect(host.submitted.at(-1)?.command).toEqual({
      type: "pursue",
      request: {
        goal: "Free 5 GB",
        context: "Leave ~/Music alone.",
        verify: { type: "command", command: "test -d out" },
        maxIterations: 12,
        modelBackend: null,
      },
    });
    expect(await axeViolations()).toEqual([]);
  });

  it("can be for the stronger model, where there is one", async () => {
    const host = await open({
      settings: { strongerModel: { provider: "anthropic", baseUrl: null, model: null } },
      models: { keys: { anthropic: "keyring" } },
    });
    await userEvent.keyboard("{Alt>}6{/Alt}");
    await box().fill("Free 5 GB");
    await page.getByRole("radio", { name: "The stronger one" }).click();
    await page.getByRole("button", { name: "Pursue this goal" }).click();
    await expect.element(page.getByRole("heading", { name: "Free 5 GB" })).toBeVisible();
    expect(host.submitted.at(-1)?.command).toMatchObject({ request: { modelBackend: "stronger" } });
  });

  it("is not lost when it is refused: it says why, and the words are there to be changed", async () => {
    const host = await open();
    const submit = host.submit.bind(host);
    const why = "That is too long. Put it into a file and name the file instead.";
    host.submit = async (id, command) => {
      if (command.type === "pursue" && command.request.goal.length > 20)
        throw engineError("invalid-input", why);
      return submit(id, command);
    };
    await userEvent.keyboard("{Alt>}6{/Alt}");
    await box().fill("Free 5 GB and then some more");
    await page.getByRole("button", { name: "Pursue this goal" }).click();
    await expect.element(page.getByText(why)).toBeVisible();
    await expect.element(box()).toHaveValue("Free 5 GB and then some more");
    await box().fill("Free 5 GB");
    await page.getByRole("button", { name: "Pursue this goal" }).click();
    await expect.element(page.getByRole("heading", { name: "Free 5 GB" })).toBeVisible();
    await expect.element(box()).toHaveValue("");
  });

  it("needs a model, and the way to one is there", async () => {
    await open({ settings: { mainModel: null } });
    await page.getByRole("button", { name: "What to do with it: Auto" }).click();
    const goal = page.getByRole("menuitemradio", { name: /^Goal/ });
    await expect.element(goal).toHaveAttribute("aria-disabled", "true");
    await expect.element(goal).toHaveTextContent(/Needs a model/);
  });
});

describe("the pursuit", () => {
  it("shows each iteration: what was said, why, and the action's card with its result", async () => {
    const pursuit = await openGoal();
    await expect.element(talk().getByText("Reading the goal")).toBeVisible();
    pursuit.signals("The disk is full of logs.");
    pursuit.proposes("a");
    pursuit.runs("a");
    await expect.element(talk().getByText("Iteration 1")).toBeVisible();
    await expect.element(talk().getByText("The disk is full of logs.")).toBeVisible();
    await expect.element(talk().getByText("To see what is full.")).toBeVisible();
    await expect.element(talk().getByRole("region", { name: "Running df -h" })).toBeVisible();
    pursuit.finishes("a", "success", "/dev/sda 99%\n");
    const card = talk().getByRole("region", { name: "Ran df -h" });
    await expect.element(card).toBeVisible();
    await card.getByRole("button").first().click();
    await expect.element(card.getByText("/dev/sda 99%")).toBeVisible();
  });

  it("says what was found wrong: unreadable, in a circle, sent back", async () => {
    const pursuit = await openGoal({}, { type: "command", command: "make check" });
    pursuit.record({
      type: "goal-signal-rejected",
      iteration: 1,
      attempt: 1,
      allowed: 2,
      error: "It is no JSON",
      answer: "Sure!",
    });
    await expect.element(talk().getByText(/could not be read: It is no JSON\./)).toBeVisible();
    pursuit.signals("Done.", { status: "complete" });
    await expect.element(panel().getByText("checking now")).toBeVisible();
    pursuit.record(
      { type: "goal-loop-noticed", kind: "cycle", iteration: 1, actions: [], reflectedBefore: false },
      { type: "goal-sent-back", reason: { type: "open-todos", ids: ["clear", "check"] } },
    );
    await expect
      .element(talk().getByText("It said it was done. These are still open: Clear caches, Check."))
      .toBeVisible();
    await expect.element(talk().getByText("It goes in a circle. It was told to think again.")).toBeVisible();
    await expect.element(panel().getByText("Sent back.")).toBeVisible();
    // The state keeps it: a session that is opened again says the same.
    await pursuit.host.createSession({ title: "Other", cwd: "/w" });
    await page.getByRole("button", { name: /^Other/ }).click();
    await expect.element(page.getByText("It goes in a circle.", { exact: false })).not.toBeInTheDocument();
    await page.getByRole("button", { name: /^Disk/ }).click();
    await expect.element(talk().getByText(/could not be read: It is no JSON\./)).toBeInTheDocument();
    await expect
      .element(talk().getByText("It said it was done. These are still open: Clear caches, Check."))
      .toBeInTheDocument();
    await expect
      .element(talk().getByText("It goes in a circle. It was told to think again."))
      .toBeInTheDocument();
  });

  it("is followed to its end again after what the user did by hand, wherever they had scrolled", async () => {
    const pursuit = await openGoal();
    const gap = () => {
      const { scrollHeight, scrollTop, clientHeight } = talk().element();
      return scrollHeight - scrollTop - clientHeight;
    };
    for (let at = 0; at < 15; at += 1) pursuit.signals(`I look at ${at}.\n\n${"And there.\n".repeat(5)}`);
    pursuit.proposes("a");
    pursuit.record({ type: "goal-action-taken-over", actionId: "a" });
    await expect.element(talk().getByRole("region", { name: "In your hands" })).toBeInTheDocument();
    await expect.poll(gap).toBeLessThan(2);
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    talk().element().scrollTop = 100;
    await expect.element(page.getByRole("button", { name: "Jump to latest" })).toBeVisible();
    pursuit.record({ type: "goal-action-handed-back", actionId: "a", note: "Done.", command: null });
    pursuit.finishes("a", "success", "The user did it by hand: Done.");
    await expect.poll(gap).toBeLessThan(2);
    pursuit.signals("Then I go on.");
    await expect.element(talk().getByText("Then I go on.")).toBeVisible();
    await expect.poll(gap).toBeLessThan(2);
  });

  it("takes guidance at any time, and says when it is read", async () => {
    const pursuit = await openGoal();
    await expect.element(page.getByText("reaches the agent with its next step.")).toBeVisible();
    await box().fill("Leave the logs.");
    await page.getByRole("button", { name: "Send guidance" }).click();
    expect(pursuit.last()).toEqual({ type: "guide", text: "Leave the logs." });
    await expect.element(talk().getByText(/waits for the next step/)).toBeVisible();
    pursuit.signals("Understood.");
    await expect.element(talk().getByText(/read by the agent/)).toBeVisible();
  });

  it("is paused, resumed and stopped by button and by key", async () => {
    const pursuit = await openGoal();
    await userEvent.keyboard("{F6}");
    await expect.element(talk().getByText("Nothing runs until you resume it.")).toBeVisible();
    expect(pursuit.last()).toEqual({ type: "pause" });
    await panel().getByRole("button", { name: "Resume" }).click();
    await expect.element(panel().getByRole("button", { name: "Pause" })).toBeVisible();
    await userEvent.keyboard("{Shift>}{F5}{/Shift}");
    await expect.element(talk().getByText("You stopped it. What was done stays done.")).toBeVisible();
    await expect.element(panel().getByText("stopped")).toBeVisible();
  });

  it("asks, and whoever writes elsewhere goes on writing", async () => {
    const pursuit = await openGoal();
    pursuit.signals("I need to know.");
    await box().fill("I am writ");
    pursuit.proposes("a", { type: "user_input", content: "May I delete the logs?" });
    pursuit.asks("May I delete the logs?", "agent", "a");
    const card = talk().getByRole("region", { name: "The agent asks" });
    await expect.element(card.getByText("May I delete the logs?")).toBeVisible();
    await expect.element(box()).toHaveFocus();
    await expect.element(panel().getByText("asks you")).toBeVisible();
    await card.getByRole("textbox", { name: "Your answer" }).fill("No.");
    await userEvent.keyboard("{Enter}");
    expect(pursuit.last()).toEqual({ type: "answer-question", questionId: "q", text: "No." });
    await expect.element(box()).toHaveValue("I am writ");
  });

  it("asks whether it is done, and is told what is missing", async () => {
    const pursuit = await openGoal({}, { type: "question", question: "Are 5 GB free?" });
    pursuit.signals("Done.", { status: "complete" });
    pursuit.asks("Are 5 GB free?", "verify");
    await talk().getByRole("button", { name: "Not yet" }).click();
    const field = talk().getByRole("textbox", { name: "What is missing?" });
    await expect.element(field).toHaveFocus();
    await field.fill("Only 4.");
    await talk().getByRole("button", { name: "Answer" }).click();
    await expect
      .element(talk().getByText("It said it was done. You said what is missing: Only 4."))
      .toBeVisible();
  });
});

describe("taking over", () => {
  async function asked(): Promise<Pursuit> {
    const pursuit = await openGoal();
    pursuit.signals("Now the cache.");
    pursuit.proposes("a", { content: "sudo apt-get clean", rationale: "It is the largest." });
    pursuit.record({
      type: "approval-needed",
      approval: { ...repairApproval("p", "2026-03-01T12:00:00Z", 0), stepId: "a" },
    });
    const takeOver = page.getByRole("alertdialog").getByRole("button", { name: "Take over" });
    await expect.element(takeOver).toBeVisible();
    // What comes at once is not meant for the question.
    await new Promise((done) => setTimeout(done, GUARD_MS + 50));
    await takeOver.click();
    await expect.element(talk().getByRole("region", { name: "In your hands" })).toBeVisible();
    return pursuit;
  }

  it("is offered where it is asked about: explained, changed and run by the user", async () => {
    const pursuit = await asked();
    expect(pursuit.last()).toEqual({ type: "take-over", actionId: "a" });
    const hand = talk().getByRole("region", { name: "In your hands" });
    await expect.element(hand.getByText("runs the rest as root")).toBeVisible();
    await hand.getByRole("textbox", { name: "Command to run" }).fill("apt-get clean --dry-run");
    await userEvent.keyboard("{Control>}{Enter}{/Control}");
    expect(pursuit.last()).toEqual({
      type: "hand-back",
      actionId: "a",
      note: "",
      command: "apt-get clean --dry-run",
    });
  });

  it("or done elsewhere and told", async () => {
    const pursuit = await asked();
    const hand = talk().getByRole("region", { name: "In your hands" });
    await hand.getByRole("textbox", { name: /What did you do/ }).fill("Cleaned by hand.");
    await hand.getByRole("button", { name: "Hand back" }).click();
    expect(pursuit.last()).toEqual({
      type: "hand-back",
      actionId: "a",
      note: "Cleaned by hand.",
      command: null,
    });
    pursuit.finishes("a", "success", "The user did it by hand: Cleaned by hand.");
    const byHand = talk().getByRole("region", { name: "You did this one yourself" });
    await expect.element(byHand).toHaveTextContent(/Cleaned by hand\./);
    await expect.element(byHand).toHaveTextContent(/It had wanted to run sudo apt-get clean/);
  });
});

describe("the end", () => {
  const ends: [string, GoalEnd, RegExp, string][] = [
    ["complete", { type: "complete", verified: true }, /The check passed: make check\./, "complete"],
    ["complete unverified", { type: "complete", verified: false }, /agent’s own word/, "complete"],
    ["stuck", { type: "stuck", cause: "loop", words: "No way." }, /went in circles.*No way\./, "stuck"],
    [
      "out of iterations",
      { type: "out-of-budget", budget: { type: "iterations", allowed: 3 } },
      /All 3 iterations are used\. 3 to-dos are still open\./,
      "out of budget",
    ],
    [
      "out of money",
      { type: "out-of-budget", budget: { type: "cap", cap: "cost" } },
      /limit on cost is reached/,
      "out of budget",
    ],
  ];
  it.each(ends)("%s is said, with the report", async (_name, end, words, standing) => {
    const pursuit = await openGoal({}, { type: "command", command: "make check" });
    pursuit.signals("So.");
    pursuit.ends(end);
    await expect.element(talk().getByText(words)).toBeVisible();
    await expect.element(panel().getByText(standing, { exact: true })).toBeVisible();
    await talk().getByRole("button", { name: "Report" }).click();
    await expect.element(page.getByRole("dialog", { name: "Report" })).toHaveTextContent(/Look around/);
  });

  it("says where its report is kept", async () => {
    const pursuit = await openGoal();
    const end: GoalEnd = { type: "complete", verified: false };
    pursuit.record({ type: "goal-ended", end, summary: "", report: "/d/reports/disk.md" });
    await expect.element(talk().getByText("It is kept in /d/reports/disk.md")).toBeVisible();
  });

  it("stuck offers the stronger model, which works on it once its price was seen", async () => {
    const pursuit = await openGoal({
      settings: { strongerModel: { provider: "anthropic", baseUrl: null, model: null } },
      models: { keys: { anthropic: "keyring" } },
    });
    pursuit.ends({ type: "stuck", cause: "said-so", words: "I do not know how" });
    await talk()
      .getByRole("button", { name: /^Ask claude.*\(about \$/ })
      .click();
    await expect.element(talk().getByText(/works on the goal from now on/)).toBeVisible();
    expect(pursuit.last()).not.toEqual({ type: "escalate" });
    await talk()
      .getByRole("button", { name: /^Ask claude[^(]*$/ })
      .click();
    expect(pursuit.last()).toEqual({ type: "escalate" });
  });

  it("out of iterations allows more", async () => {
    const pursuit = await openGoal();
    pursuit.ends({ type: "out-of-budget", budget: { type: "iterations", allowed: 3 } });
    await talk().getByRole("button", { name: "Allow 3 more and go on" }).click();
    expect(pursuit.last()).toEqual({ type: "resume", mode: null });
    await expect.element(talk().getByText("Resumed.")).toBeVisible();
  });

  it("stuck goes on with words", async () => {
    const pursuit = await openGoal();
    pursuit.ends({ type: "stuck", cause: "said-so", words: "I do not know the password" });
    await expect.element(talk().getByText("It says: I do not know the password.")).toBeVisible();
    await talk().getByRole("textbox", { name: "Guidance" }).fill("Leave that one out.");
    await talk().getByRole("button", { name: "Let it go on" }).click();
    expect(pursuit.last()).toEqual({ type: "guide", text: "Leave that one out." });
  });

  it("leads from a limit to its setting", async () => {
    const pursuit = await openGoal();
    pursuit.ends({ type: "out-of-budget", budget: { type: "cap", cap: "tokens" } });
    await talk().getByRole("button", { name: "Raise the limit" }).click();
    await expect.element(page.getByRole("heading", { name: "Settings" })).toBeVisible();
  });
});

describe("everyone", () => {
  it.each(["light", "dark", "contrast"] satisfies Theme[])("can use it in %s", async (theme) => {
    const pursuit = await openGoal({ settings: { theme } }, { type: "command", command: "make check" });
    expect(await axeViolations()).toEqual([]);
    pursuit.signals("I look first.");
    pursuit.proposes("a");
    pursuit.runs("a");
    expect(await axeViolations()).toEqual([]);
    pursuit.finishes("a", "error", "df: no\n");
    pursuit.record({ type: "goal-sent-back", reason: { type: "verify-failed", result: "1" } });
    pursuit.proposes("b", { type: "user_input", content: "May I?" });
    pursuit.asks("May I?", "agent", "b");
    await panel().getByText("History").click();
    expect(await axeViolations()).toEqual([]);
    pursuit.record({ type: "goal-action-taken-over", actionId: "b" });
    expect(await axeViolations()).toEqual([]);
    pursuit.pauses({ type: "model-failed", code: "network", message: "The server does not answer." });
    expect(await axeViolations()).toEqual([]);
    pursuit.ends({ type: "stuck", cause: "said-so", words: "No." });
    expect(await axeViolations()).toEqual([]);
  });

  it("is told what happens", async () => {
    const pursuit = await openGoal();
    pursuit.signals("I look first.");
    const said = () => [...document.querySelectorAll("[role=status]")].map((one) => one.textContent);
    await expect.poll(said).toContain("Iteration 1: I look first.");
    await expect.poll(said).toContain("To-dos: 3 added");
    pursuit.proposes("a", { type: "user_input", content: "May I?" });
    pursuit.asks("May I?", "agent", "a");
    await expect.poll(said).toContain("The agent asks: May I?");
  });

  it("can use it in a narrow window", async () => {
    await page.viewport(700, 800);
    const pursuit = await openGoalNarrow();
    pursuit.signals("So.");
    await expect.element(page.getByRole("button", { name: "Stop" })).toBeVisible();
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByRole("button", { name: "Resume" }).last().click();
    expect(pursuit.last()).toEqual({ type: "resume", mode: null });
    await page.getByRole("button", { name: "To-dos" }).click();
    await expect.element(todos().getByText("Look around")).toBeVisible();
    expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(700);
    expect(await axeViolations()).toEqual([]);
  });
});
