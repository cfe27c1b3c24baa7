/* Plays the pursuit of the demonstration's goal: signals, to-dos, actions with their output, questions, the check at the end.
   It answers commands as the engine would, as far as the window can see. */
import type {
  Action,
  AllowedBy,
  CallOutcome,
  Command,
  Event,
  GoalEnd,
  GoalState,
  ModelRole,
  SessionId,
  Todo,
  ToolResult,
} from "../bindings";
import { engineError } from "../engineError";
import type { FakeHost } from "../fakeHost";
import { type DemoAction, type DemoSignal, GOAL_SCRIPT } from "./goalScript";
import { placed } from "./placed";

const THINKS_MS = 1600;

type Of<T extends Command["type"]> = Extract<Command, { type: T }>;

export class DemoGoal {
  readonly #host: FakeHost;
  readonly #id: SessionId;
  readonly #model: string;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #script: DemoSignal[] = [];
  /** What goes on when it is resumed; null while it goes on. */
  #held: (() => void) | null = null;
  /** The action that waits for an answer or for the user's hand, with what it would do. */
  #waiting: { actionId: string; action: DemoAction } | null = null;

  constructor(host: FakeHost, id: SessionId, model: string) {
    this.#host = host;
    this.#id = id;
    this.#model = model;
  }

  /** Whether the command was for a goal. */
  handle(command: Command): boolean {
    if (command.type === "pursue") {
      this.#pursue(command);
      return true;
    }
    const { goal } = this.#host.session(this.#id);
    if (!goal) return false;
    switch (command.type) {
      case "edit-todos":
        this.#edit(goal, command);
        return true;
      case "answer-question":
        this.#answerQuestion(goal, command);
        return true;
      case "take-over":
        this.#record({ type: "goal-action-taken-over", actionId: command.actionId });
        return true;
      case "hand-back":
        this.#handBack(command);
        return true;
      case "answer":
        return this.#answer(command);
      default:
        return goal.phase.type === "ended" && goal.phase.end.type === "complete"
          ? false
          : this.#steer(goal, command);
    }
  }

  #steer(goal: GoalState, command: Command): boolean {
    const ended = goal.phase.type === "ended";
    switch (command.type) {
      case "pause":
        if (ended) return false;
        this.#record({ type: "goal-paused", reason: { type: "user" } });
        this.#held ??= () => undefined;
        return true;
      case "resume":
        this.#resume(goal);
        return true;
      case "escalate":
        this.#resume(goal, "stronger");
        return true;
      case "cancel":
        if (ended) return false;
        this.stop();
        this.#end({ type: "cancelled" });
        return true;
      case "guide":
        this.#record({ type: "goal-guidance", text: command.text });
        if (ended) this.#resume(goal);
        return true;
      default:
        return false;
    }
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#held = null;
    this.#waiting = null;
  }

  #pursue({ request }: Of<"pursue">): void {
    const { goal } = this.#host.session(this.#id);
    if (goal && goal.phase.type !== "ended") {
      throw engineError("not-now", "A goal is being pursued here. Stop it first.");
    }
    this.#record({ type: "goal-started", goalId: this.#host.newId("goal"), request });
    this.#script = GOAL_SCRIPT;
    this.#after(THINKS_MS, () => this.#iterate());
  }

  #resume(goal: GoalState, modelBackend: ModelRole | null = null): void {
    const more = goal.iteration >= goal.iterationsAllowed ? (goal.request.maxIterations ?? 50) : 0;
    this.#record({ type: "goal-resumed", iterationsAllowed: goal.iterationsAllowed + more, modelBackend });
    const goOn = this.#held;
    this.#held = null;
    if (goOn) goOn();
    else this.#after(THINKS_MS, () => this.#iterate());
  }

  #record(...events: Event[]): void {
    this.#host.record(this.#id, ...events);
  }

  #goal(): GoalState {
    const { goal } = this.#host.session(this.#id);
    if (!goal) throw engineError("not-now", "There is no goal here.");
    return goal;
  }

  /** Goes on later; while it is paused, when it is resumed. */
  #after(millis: number, then: () => void): void {
    this.#timer = setTimeout(() => {
      if (this.#goal().phase.type === "paused") this.#held = then;
      else then();
    }, millis / this.#host.speed);
  }

  #iterate(): void {
    const goal = this.#goal();
    if (goal.phase.type === "ended") return;
    const [signal = this.#finish(), ...later] = this.#script;
    const iteration = goal.iteration + 1;
    if (iteration > goal.iterationsAllowed) {
      this.#end({ type: "out-of-budget", budget: { type: "iterations", allowed: goal.iterationsAllowed } });
      return;
    }
    this.#script = later;
    const todos = moved([...goal.todos, ...(signal.add ?? [])], signal.moves ?? {});
    this.#record(
      {
        type: "model-used",
        model: this.#model,
        purpose: "goal",
        usage: { inputTokens: 2_400 + iteration * 310, outputTokens: 180, calls: 1, costMicros: 2_900 },
      },
      {
        type: "goal-signal-received",
        iteration,
        model: this.#model,
        signal: {
          status: signal.status,
          todos,
          nextAction: signal.action
            ? {
                type: signal.action.type,
                content: signal.action.content,
                rationale: signal.action.rationale,
              }
            : null,
          selfAssessment: signal.assessment,
          completionEstimate: signal.estimate,
          userInputNeeded: null,
        },
      },
    );
    if (JSON.stringify(todos) !== JSON.stringify(goal.todos)) {
      this.#record({ type: "todos-changed", iteration, author: "agent", todos, userTodos: goal.userTodos });
    }
    if (signal.status === "complete") this.#check();
    else if (signal.action) this.#propose(signal.action, iteration);
  }

  /** After the script: what the user added is worked off. */
  #finish(): DemoSignal {
    const open = this.#goal().todos.filter(({ status }) => status === "pending" || status === "in-progress");
    return {
      status: "complete",
      assessment: "What you added is done as well.",
      estimate: 100,
      moves: Object.fromEntries(open.map(({ id }) => [id, "completed" as const])),
    };
  }

  #propose(action: DemoAction, iteration: number, author: "agent" | "verify" = "agent"): void {
    const actionId = this.#host.newId("action");
    const { type, content, rationale } = action;
    this.#record({
      type: "goal-action-proposed",
      actionId,
      iteration,
      author,
      action: { type, content, rationale },
    });
    this.#waiting = { actionId, action };
    if (type === "user_input") {
      const question = {
        id: this.#host.newId("question"),
        text: content,
        askedBy: "agent",
        actionId,
      } as const;
      this.#record({ type: "goal-question-asked", question });
    } else if (action.asks) this.#ask(actionId, action, action.asks);
    else this.#run(actionId, action, { type: "mode" });
  }

  #ask(stepId: string, action: DemoAction, asked: NonNullable<DemoAction["asks"]>): void {
    this.#record({
      type: "approval-needed",
      approval: {
        id: this.#host.newId("approval"),
        stepId,
        revision: 0,
        action: actionOf(action),
        cwd: this.#host.session(this.#id).cwd,
        user: "ada",
        assessment: asked,
        warningMessage: "It runs as root.",
        proposer: { type: "chat", model: this.#model, reason: action.rationale },
        previousCommand: null,
        offers: [],
        askedAt: this.#host.time(),
      },
    });
  }

  #answer({ approvalId, answer }: Of<"answer">): boolean {
    const open = this.#host.session(this.#id).approvals.find(({ id }) => id === approvalId);
    const waiting = this.#waiting;
    if (!open || waiting?.actionId !== open.stepId) return false;
    const allowed = answer.type === "allow-once" || answer.type === "allow-always";
    const allowedBy: AllowedBy | null = allowed ? { type: "user" } : null;
    this.#record({ type: "approval-resolved", approvalId, stepId: open.stepId, answer, allowedBy });
    if (allowed) {
      const edited = answer.type === "allow-once" ? answer.editedCommand : null;
      const { action } = waiting;
      this.#run(open.stepId, edited === null ? action : { ...action, content: edited }, { type: "user" });
      return true;
    }
    const declined = { outcome: "declined", content: "The user did not allow this." } as const;
    this.#record(finished(waiting.action, open.stepId, this.#host.time(), this.#host.time(), declined));
    this.#next();
    return true;
  }

  #answerQuestion({ question }: GoalState, { questionId, text }: Of<"answer-question">): void {
    if (question?.id !== questionId) throw engineError("not-now", "This question is no longer open.");
    this.#record({ type: "goal-question-answered", questionId, text });
    const now = this.#host.time();
    if (question.askedBy === "agent" && this.#waiting) {
      const { actionId, action } = this.#waiting;
      this.#record(finished(action, actionId, now, now, { outcome: "success", content: text }));
      this.#next();
    } else if (text.trim().toLowerCase() === "yes") {
      this.#end({ type: "complete", verified: true });
    } else {
      this.#record({ type: "goal-sent-back", reason: { type: "verify-denied", text } });
      this.#next();
    }
  }

  #handBack({ actionId, note, command }: Of<"hand-back">): void {
    this.#record({ type: "goal-action-handed-back", actionId, note, command });
    const action = this.#waiting?.action;
    if (!action) return;
    if (command !== null) {
      this.#run(actionId, { ...action, type: "shell", content: command }, { type: "user" });
      return;
    }
    const now = this.#host.time();
    this.#record(finished(action, actionId, now, now, { outcome: "success", content: note, output: null }));
    this.#next();
  }

  #edit(goal: GoalState, { todos, base }: Of<"edit-todos">): void {
    if (base !== goal.todoNumber) {
      throw engineError("stale", "The list has changed since. Look at it and do it again.");
    }
    const before = new Map(goal.todos.map((todo) => [todo.id, JSON.stringify(todo)]));
    const touched = todos.filter((todo) => before.get(todo.id) !== JSON.stringify(todo)).map(({ id }) => id);
    const userTodos = [...new Set([...goal.userTodos, ...touched])];
    this.#record({ type: "todos-changed", iteration: goal.iteration, author: "user", todos, userTodos });
  }

  #run(callId: string, action: DemoAction, allowedBy: AllowedBy, then = () => this.#next()): void {
    const startedAt = this.#host.time();
    const { cwd } = this.#host.session(this.#id);
    this.#record({ type: "call-started", callId, action: actionOf(action), cwd, allowedBy });
    action.output.forEach((line, at) => {
      const atMillis = Math.round((action.millis * (at + 1)) / (action.output.length + 1));
      const chunks = [
        { stream: "stdout" as const, text: `${line}\n`, atMillis, ...placed(action.output, at) },
      ];
      setTimeout(
        () =>
          this.#host.publish([{ type: "output", sessionId: this.#id, stepId: callId, attempt: 0, chunks }]),
        atMillis / this.#host.speed,
      );
    });
    this.#timer = setTimeout(() => {
      if (this.#goal().phase.type === "ended") return;
      this.#record(finished(action, callId, startedAt, this.#host.time(), {}));
      then();
    }, action.millis / this.#host.speed);
  }

  #next(): void {
    this.#waiting = null;
    this.#after(THINKS_MS, () => this.#iterate());
  }

  #check(): void {
    const { todos, request, iteration } = this.#goal();
    const open = todos.filter(({ status }) => status === "pending" || status === "in-progress");
    if (open.length > 0) {
      this.#record({ type: "goal-sent-back", reason: { type: "open-todos", ids: open.map(({ id }) => id) } });
      this.#next();
      return;
    }
    const { verify } = request;
    if (!verify) {
      this.#end({ type: "complete", verified: false });
    } else if (verify.type === "question") {
      const question = {
        id: this.#host.newId("question"),
        text: verify.question,
        askedBy: "verify",
        actionId: null,
      } as const;
      this.#record({ type: "goal-question-asked", question });
    } else {
      const action: DemoAction = {
        type: "shell",
        content: verify.command,
        rationale: "",
        output: [],
        millis: 700,
      };
      const actionId = this.#host.newId("action");
      const { type, content, rationale } = action;
      this.#record({
        type: "goal-action-proposed",
        actionId,
        iteration,
        author: "verify",
        action: { type, content, rationale },
      });
      this.#run(actionId, action, { type: "mode" }, () => this.#end({ type: "complete", verified: true }));
    }
  }

  #end(end: GoalEnd): void {
    const running = this.#goal().actions.at(-1);
    if (running?.state.type === "running") {
      const { startedAt } = running.state;
      const action: DemoAction = { ...running.action, output: [], millis: 0 };
      const cut = { outcome: "interrupted", exitStatus: null } as const;
      this.#record(finished(action, running.id, startedAt, this.#host.time(), cut));
    }
    this.#record({ type: "goal-ended", end, summary: "" });
  }
}

function moved(todos: Todo[], moves: NonNullable<DemoSignal["moves"]>): Todo[] {
  return todos.map((todo) => {
    const status = todo.status === "cancelled" ? undefined : moves[todo.id];
    return status ? { ...todo, status } : todo;
  });
}

function actionOf({ type, content }: DemoAction): Action {
  if (type === "shell") return { type: "shell", command: content };
  return { type: "tool", tool: type, input: JSON.stringify({ content }), command: `${type} ${content}` };
}

function finished(
  action: DemoAction,
  callId: string,
  startedAt: string,
  endedAt: string,
  more: Partial<ToolResult>,
): Event {
  const shell = action.type === "shell";
  const outcome: CallOutcome = (action.exit ?? 0) === 0 ? "success" : "error";
  const text = action.output.map((line) => `${line}\n`).join("");
  const result: ToolResult = {
    callId,
    tool: action.type,
    outcome,
    content: text,
    output: shell ? text : null,
    omittedLines: 0,
    exitStatus: shell ? { type: "code", code: action.exit ?? 0 } : null,
    diffs: [],
    filesChanged: [],
    startedAt,
    endedAt,
    ...more,
  };
  return { type: "call-finished", result, shell: null };
}
