/* The cards of sub-goals: what one sees of each while it looks, when it found something and when it did not. */
import { afterEach, describe, expect, it } from "vitest";
import { page, userEvent } from "vitest/browser";
import { cleanup, render } from "vitest-browser-react";
import type { CallState, GoalAction, NextAction, SubGoal } from "@/ipc/bindings";
import { FakeHost } from "@/ipc/fakeHost";
import { HostContext } from "@/ipc/host";
import { createAppStore, StoreContext } from "@/state/store";
import { axeViolations } from "@/test/axe";
import { BranchRow } from "./BranchRow";

const AT = "2026-03-01T12:00:00Z";
const LATER = "2026-03-01T12:01:05Z";
const REFUSED = "Refused, it was not run: A sub-goal only reads. Do without it.";

function action(
  id: string,
  next: Partial<NextAction>,
  outcome: "success" | "declined",
  content: string,
): GoalAction {
  const ran = { type: "shell", command: next.content ?? "" } as const;
  const state: CallState = {
    type: "ended",
    action: outcome === "success" ? ran : null,
    result: {
      callId: id,
      tool: "shell",
      outcome,
      content,
      output: null,
      omittedLines: 0,
      exitStatus: null,
      diffs: [],
      filesChanged: [],
      moreFilesChanged: 0,
      startedAt: AT,
      endedAt: AT,
    },
  };
  const wanted = { type: "shell", content: "", rationale: "", ...next } as const;
  return { id, iteration: 1, author: "agent", action: wanted, state, at: AT };
}

const READ = action("read", { type: "file_read", content: "/w/fish.txt" }, "success", "twelve");
const WRITE = action("write", { content: "echo fish > pond.txt" }, "declined", REFUSED);

function sub(number: number, goal: string, more: Partial<SubGoal> = {}): SubGoal {
  return {
    task: {
      number,
      todoId: `t${number}`,
      goal,
      askedBy: "agent",
      iteration: 1,
      maxIterations: 8,
      maxTokens: null,
      maxCostMicros: null,
    },
    end: null,
    synthesis: null,
    seen: false,
    status: "executing",
    iteration: 2,
    todos: [],
    movedIn: 0,
    actions: [READ],
    assessment: "I count the fish.",
    rejected: null,
    retrying: null,
    looped: null,
    usage: {
      inputTokens: 1_200,
      outputTokens: 300,
      cachedTokens: 0,
      calls: 2,
      costMicros: 20_000,
      unpricedCalls: 0,
    },
    startedAt: AT,
    endedAt: null,
    ...more,
  };
}

const FOUND: Partial<SubGoal> = {
  end: { type: "complete" },
  status: "complete",
  synthesis: "Twelve fish (fish.txt, line 1).",
  endedAt: LATER,
};

const STUCK: Partial<SubGoal> = {
  end: { type: "stuck", cause: "said-so", words: "No file names the frogs." },
  status: "stuck",
  assessment: "No file names the frogs.",
  synthesis: "No file names the frogs.",
  actions: [],
  endedAt: LATER,
};

async function show(subGoals: SubGoal[], held = false, acting = false) {
  const host = new FakeHost();
  const store = createAppStore(host);
  const rows = (subGoals: SubGoal[]) => (
    <HostContext.Provider value={host}>
      <StoreContext value={store}>
        <main>
          <h1>Garden</h1>
          <h2>Conversation</h2>
          <h3>Iteration 1</h3>
          <BranchRow subGoals={subGoals} sessionId="s" root="/w" held={held} acting={acting} />
        </main>
      </StoreContext>
    </HostContext.Provider>
  );
  const { rerender } = await render(rows(subGoals));
  return (later: SubGoal[]) => rerender(rows(later));
}

const card = (name: string) => page.getByRole("region", { name });
const words = (name: string) => card(name).element().textContent ?? "";

afterEach(() => cleanup());

describe("a sub-goal's card", () => {
  it("is called by its number and goal, and says while it looks what it does and what it used", async () => {
    await show([sub(1, "Count the fish")]);
    const one = card("Sub-goal 1: Count the fish");
    await expect.element(one.getByRole("heading", { level: 4 })).toBeVisible();
    await expect.element(one.getByRole("status")).toHaveTextContent("looking");
    await expect.element(one.getByText("I count the fish.")).toBeVisible();
    expect(words("Sub-goal 1: Count the fish")).toMatch(/iteration 2 of 8 · 1\.5k tokens · \$0\.02 · /);
    expect(words("Sub-goal 1: Count the fish")).not.toContain("you wanted it");
    await expect.element(one.getByText("1 thing looked at")).toBeVisible();
    await expect.element(one.getByRole("button", { name: /^Read fish\.txt/ })).toBeVisible();
  });

  it("says before its first answer that it has just begun, and counts no iteration", async () => {
    await show([sub(1, "Count the fish", { iteration: 0, assessment: "", actions: [] })]);
    const one = card("Sub-goal 1: Count the fish");
    await expect.element(one.getByText("Reading what it is to find out")).toBeVisible();
    await expect.element(one.getByRole("status")).toHaveTextContent("looking");
    expect(words("Sub-goal 1: Count the fish")).not.toContain("iteration");
    expect(words("Sub-goal 1: Count the fish")).not.toContain("looked at");
  });

  it("waits while the goal is paused, and says when it was the user who wanted it", async () => {
    const own = sub(1, "Count the fish");
    await show([{ ...own, task: { ...own.task, askedBy: "user" } }], true);
    await expect.element(card("Sub-goal 1: Count the fish").getByRole("status")).toHaveTextContent("waits");
    expect(words("Sub-goal 1: Count the fish")).toContain("you wanted it · iteration 2 of 8");
  });

  it("says that it begins after the present action, and does not claim to look meanwhile", async () => {
    const begun = { iteration: 0, assessment: "", actions: [] };
    await show([sub(1, "Count the fish", begun), sub(2, "Count the frogs")], false, true);
    const one = card("Sub-goal 1: Count the fish");
    await expect.element(one.getByText("It begins when the present action is over")).toBeVisible();
    await expect.element(one.getByRole("status")).toHaveTextContent("waits");
    expect(words("Sub-goal 1: Count the fish")).not.toContain("Reading what");
    expect(words("Sub-goal 2: Count the frogs")).not.toContain("begins");
  });

  it("says while its model is asked again why, and in which attempt", async () => {
    const retrying = {
      model: "m",
      attempt: 2,
      allowed: 4,
      waitMillis: 60_000,
      reason: "The server is busy.",
      at: new Date().toISOString(),
    };
    const again = await show([sub(1, "Count the fish", { retrying }), sub(2, "Count the frogs")]);
    const one = card("Sub-goal 1: Count the fish");
    await expect.element(one.getByText(/The server is busy.*2 of 4/)).toBeVisible();
    expect(words("Sub-goal 2: Count the frogs")).not.toContain("busy");
    await again([sub(1, "Count the fish"), sub(2, "Count the frogs")]);
    await expect.poll(() => words("Sub-goal 1: Count the fish")).not.toContain("busy");
  });

  it("folds what it looked at by itself when that becomes long, unless somebody opened it", async () => {
    const looks = (count: number) => ({
      actions: Array.from({ length: count }, (_, at) => ({ ...READ, id: `read ${at}` })),
    });
    const again = await show([sub(1, "Count the fish", looks(3)), sub(2, "Count the frogs", looks(4))]);
    const [one, two] = [card("Sub-goal 1: Count the fish"), card("Sub-goal 2: Count the frogs")];
    expect(one.getByRole("button").elements()).toHaveLength(3);
    expect(two.getByRole("button").elements()).toEqual([]);
    await two.getByText("4 things looked at").click();
    await expect.poll(() => two.getByRole("button").elements()).toHaveLength(4);
    await again([sub(1, "Count the fish", looks(4)), sub(2, "Count the frogs", looks(5))]);
    await expect.poll(() => two.getByRole("button").elements()).toHaveLength(5);
    expect(one.getByRole("button").elements()).toEqual([]);
    await expect.element(one.getByText("4 things looked at")).toBeVisible();
  });

  it("says at its end what it found and how long it took; what it looked at is folded", async () => {
    await show([sub(1, "Count the fish", { ...FOUND, actions: [READ, WRITE] })]);
    const one = card("Sub-goal 1: Count the fish");
    await expect.element(one.getByRole("status")).toHaveTextContent("found");
    await expect.element(one.getByText("Twelve fish (fish.txt, line 1).")).toBeVisible();
    // What it thought on the way no longer counts.
    expect(words("Sub-goal 1: Count the fish")).not.toContain("I count the fish.");
    expect(words("Sub-goal 1: Count the fish")).toContain("1 min 5 s");
    expect(one.getByRole("button").elements()).toEqual([]);
  });

  it("opens by key to what it looked at, and to why something was refused", async () => {
    await show([sub(1, "Count the fish", { ...FOUND, actions: [READ, WRITE] })]);
    const one = card("Sub-goal 1: Count the fish");
    await userEvent.keyboard("{Tab}");
    expect(document.activeElement?.textContent).toBe("1 thing looked at, 1 not allowed");
    await userEvent.keyboard("{Enter}");
    await expect.element(one.getByRole("button", { name: /^Read fish\.txt/ })).toBeVisible();
    await userEvent.keyboard("{Tab}{Tab}");
    const refused = one.getByRole("button", { name: /^Wants to run echo fish > pond\.txt/ });
    await expect.element(refused).toHaveFocus();
    await expect.element(refused).toHaveAttribute("aria-expanded", "false");
    await expect.element(one.getByText("not allowed", { exact: true })).toBeVisible();
    await userEvent.keyboard("{Enter}");
    await expect.element(one.getByText(REFUSED)).toBeVisible();
    expect(await axeViolations()).toEqual([]);
  });

  it("says once why it is stuck, and claims to have looked at nothing where it did not", async () => {
    await show([sub(1, "Count the frogs", STUCK)]);
    const one = card("Sub-goal 1: Count the frogs");
    await expect.element(one.getByRole("status")).toHaveTextContent("stuck");
    expect(words("Sub-goal 1: Count the frogs").split("No file names the frogs.")).toHaveLength(2);
    expect(words("Sub-goal 1: Count the frogs")).not.toContain("looked at");
  });

  it("stands beside the others of its group, each with its own state", async () => {
    await page.viewport(1_400, 800);
    const own = [
      { id: "a", title: "Find the list", status: "completed", priority: "low" },
      { id: "b", title: "Count", status: "in-progress", priority: "low" },
    ] as const;
    await show([
      sub(1, "Count the fish", FOUND),
      sub(2, "Count the frogs", STUCK),
      sub(3, "Count the newts", { todos: [...own] }),
    ]);
    const list = page.getByRole("list", { name: "Sub-goals, side by side" });
    const states = list.getByRole("status").elements();
    expect(states.map(({ textContent }) => textContent)).toEqual(["found", "stuck", "looking"]);
    const [first, second] = ["Count the fish", "Count the frogs"].map((goal, at) =>
      card(`Sub-goal ${at + 1}: ${goal}`)
        .element()
        .getBoundingClientRect(),
    );
    expect(second?.top).toBe(first?.top);
    expect(second?.left).toBeGreaterThan(first?.right ?? Number.POSITIVE_INFINITY);
    await list.getByText("1 of 2 of its own to-dos done").click();
    await expect.element(list.getByText("Find the list")).toBeVisible();
  });

  for (const theme of ["light", "dark", "contrast"]) {
    it(`has nothing for axe to find in ${theme}`, async () => {
      document.documentElement.dataset.theme = theme;
      await show([
        sub(1, "Count the fish", { ...FOUND, actions: [READ, WRITE] }),
        sub(2, "Count the frogs", STUCK),
        sub(3, "Count the newts", { actions: [READ, WRITE] }),
      ]);
      await expect.element(card("Sub-goal 3: Count the newts")).toBeVisible();
      expect(await axeViolations()).toEqual([]);
      delete document.documentElement.dataset.theme;
    });
  }
});
