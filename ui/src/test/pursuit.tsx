/* A goal in the whole window, for tests: opened on the host in memory, and the events that a test says of it. */
import { expect } from "vitest";
import { page } from "vitest/browser";
import type {
  ActionAuthor,
  CallOutcome,
  Event,
  GoalEnd,
  GoalPause,
  NextAction,
  SessionId,
  Signal,
  Todo,
  Verify,
} from "@/ipc/bindings";
import type { FakeHost, FakeOptions } from "@/ipc/fakeHost";
import { open, talk } from "./window";

export const todo = (id: string, title: string, status: Todo["status"] = "pending"): Todo => ({
  id,
  title,
  status,
  priority: "medium",
});

export const LIST = [
  todo("look", "Look around", "in-progress"),
  todo("clear", "Clear caches"),
  todo("check", "Check"),
];

/** A window that shows a session with a goal, whose events the test says. */
export class Pursuit {
  readonly host: FakeHost;
  readonly id: SessionId;
  #iteration = 0;

  constructor(host: FakeHost, id: SessionId) {
    this.host = host;
    this.id = id;
  }

  record(...events: Event[]): void {
    this.host.record(this.id, ...events);
  }

  starts(verify: Verify | null = null): void {
    this.record({
      type: "goal-started",
      goalId: "g",
      request: {
        goal: "Free 5 GB on this disk",
        context: null,
        verify,
        maxIterations: 3,
        modelBackend: null,
      },
    });
  }

  signals(text: string, more: Partial<Signal> = {}, todos = LIST): void {
    this.#iteration += 1;
    const iteration = this.#iteration;
    const signal: Signal = {
      status: "executing",
      todos,
      nextAction: null,
      selfAssessment: text,
      completionEstimate: 40,
      userInputNeeded: null,
      ...more,
    };
    this.record({ type: "goal-signal-received", iteration, model: "qwen-coder", signal });
    this.lists("agent", todos);
  }

  lists(author: "agent" | "user", todos: Todo[]): void {
    const userTodos = author === "user" ? todos.map(({ id }) => id) : [];
    this.record({ type: "todos-changed", iteration: this.#iteration, author, todos, userTodos });
  }

  proposes(actionId: string, action: Partial<NextAction> = {}, author: ActionAuthor = "agent"): void {
    this.record({
      type: "goal-action-proposed",
      actionId,
      iteration: this.#iteration,
      author,
      action: { type: "shell", content: "df -h", rationale: "To see what is full.", ...action },
    });
  }

  runs(callId: string, command = "df -h"): void {
    const action = { type: "shell", command } as const;
    this.record({ type: "call-started", callId, action, cwd: "/w", allowedBy: { type: "mode" } });
  }

  finishes(callId: string, outcome: CallOutcome, content: string): void {
    const at = new Date().toISOString();
    this.record({
      type: "call-finished",
      shell: null,
      result: {
        callId,
        tool: "shell",
        outcome,
        content,
        output: content,
        omittedLines: 0,
        exitStatus: { type: "code", code: outcome === "success" ? 0 : 1 },
        diffs: [],
        filesChanged: [],
        startedAt: at,
        endedAt: at,
      },
    });
  }

  asks(text: string, askedBy: "agent" | "verify", actionId: string | null = null): void {
    this.record({ type: "goal-question-asked", question: { id: "q", text, askedBy, actionId } });
  }

  pauses(reason: GoalPause): void {
    this.record({ type: "goal-paused", reason });
  }

  ends(end: GoalEnd): void {
    this.record({ type: "goal-ended", end, summary: "" });
  }

  /** What was asked of the engine last. */
  last() {
    return this.host.submitted.at(-1)?.command;
  }
}

export async function openGoal(options: FakeOptions = {}, verify: Verify | null = null): Promise<Pursuit> {
  const host = await open(options);
  const { id } = await host.createSession({ title: "Disk", cwd: "/w" });
  const pursuit = new Pursuit(host, id);
  pursuit.starts(verify);
  await page.getByRole("button", { name: /^Disk/ }).click();
  await expect.element(page.getByRole("heading", { name: "Free 5 GB on this disk" })).toBeVisible();
  return pursuit;
}

export const panel = () => page.getByRole("region", { name: "Goal", exact: true });
export const todos = () => page.getByRole("list", { name: "To-dos" });
export const titles = () =>
  [...document.querySelectorAll<HTMLElement>("li[data-todo]")].map((row) => row.dataset.todo ?? "");

/** In a window that shows one side at a time. */
export async function openGoalNarrow(): Promise<Pursuit> {
  const host = await open();
  const { id } = await host.createSession({ title: "Disk", cwd: "/w" });
  const pursuit = new Pursuit(host, id);
  pursuit.starts();
  await page.getByRole("button", { name: "Sessions" }).click();
  await page.getByRole("button", { name: /^Disk/ }).click();
  await expect.element(talk()).toBeVisible();
  return pursuit;
}
