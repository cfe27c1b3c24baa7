/* The goal's part of the fold: signals, to-dos, actions, questions, the user's hand and words, and how it ended. It must
   follow the engine's `journal/fold/goal.rs`; what does not fit throws `Misfit`. */
import type {
  Approval,
  CallState,
  Event,
  GoalAction,
  GoalNoted,
  GoalPhase,
  GoalState,
  SessionState,
  StepId,
  Todo,
  ToolResult,
} from "@/ipc/bindings";
import { isOpen as isOpenTodo } from "@/shared/todos";
import { Misfit } from "./misfit";

/** Actions that a state holds. */
export const MAX_GOAL_ACTIONS = 200;
/** Changes of the to-do list that a state holds. */
export const MAX_TODO_CHANGES = 50;
/** Words of guidance, reflections and notes that a state holds of each. */
export const MAX_GOAL_NOTES = 20;
/** The last actions keep all they hold; of those before, contents and results are cut to so many characters. */
const WHOLE_ACTIONS = 12;
const CUT = 400;

type Of<T extends Event["type"]> = Extract<Event, { type: T }>;

export type GoalEvent = Extract<Event, { type: `goal-${string}` | "todos-changed" }>;

export function isOfGoal(event: Event): event is GoalEvent {
  return event.type === "todos-changed" || event.type.startsWith("goal-");
}

export function change(state: SessionState, event: GoalEvent, at: string): SessionState {
  switch (event.type) {
    case "goal-started":
      return started(state, event, at);
    case "goal-signal-received":
      return signalled(state, event, at);
    case "goal-signal-rejected":
      return rejected(state, event, at);
    case "todos-changed":
      return todosChanged(state, event, at);
    case "goal-action-proposed":
      return proposed(state, event, at);
    case "goal-action-taken-over":
      return takenOver(state, event.actionId);
    case "goal-action-handed-back":
      return handedBack(state, event);
    case "goal-question-asked":
      return questionAsked(state, event);
    case "goal-question-answered":
      return questionAnswered(state, event);
    case "goal-guidance":
      return guided(state, event, at);
    case "goal-loop-noticed":
      return looped(state, event, at);
    case "goal-sent-back":
      return sentBack(state, event, at);
    case "goal-paused":
      return paused(state, event);
    case "goal-resumed":
      return resumed(state, event, at);
    case "goal-ended":
      return ended(state, event, at);
  }
}

function started(state: SessionState, event: Of<"goal-started">, at: string): SessionState {
  if (state.goal && !hasEnded(state.goal)) throw new Misfit();
  const { goalId, request } = event;
  const goal: GoalState = {
    id: goalId,
    request,
    phase: { type: "working" },
    status: "planning",
    iteration: 0,
    iterationsAllowed: request.maxIterations ?? USUAL_ITERATIONS,
    todos: [],
    userTodos: [],
    todoNumber: 0,
    todoChanges: [],
    movedIn: 0,
    actions: [],
    omittedActions: 0,
    subGoals: [],
    subGoalCount: 0,
    assessment: "",
    completionEstimate: null,
    question: null,
    takenOver: null,
    guidance: [],
    reflections: [],
    sentBack: null,
    rejected: null,
    leftOut: [],
    looped: null,
    notes: [],
    checking: false,
    usageBefore: state.usage,
    startedAt: at,
    endedAt: null,
  };
  return { ...state, goal };
}

/** What a request means that does not say it. */
const USUAL_ITERATIONS = 50;

function signalled(state: SessionState, event: Of<"goal-signal-received">, at: string): SessionState {
  const { iteration, signal } = event;
  const goal = openGoal(state);
  const { status, selfAssessment: text } = signal;
  const reflections =
    text.trim() === ""
      ? goal.reflections
      : keep(goal.reflections, { iteration, status, text, at }, MAX_GOAL_NOTES);
  return withGoal(state, {
    ...goal,
    iteration,
    status,
    assessment: text,
    completionEstimate: signal.completionEstimate ?? goal.completionEstimate,
    sentBack: null,
    rejected: null,
    leftOut: goal.todos
      .filter((todo) => isOpenTodo(todo) && signal.todos.every(({ id }) => id !== todo.id))
      .map(({ id }) => id),
    checking: status === "complete",
    guidance: goal.guidance.map((words) => ({ ...words, seen: true })),
    subGoals: goal.subGoals.map((sub) => (sub.end ? { ...sub, seen: true } : sub)),
    reflections,
  });
}

function rejected(state: SessionState, event: Of<"goal-signal-rejected">, at: string): SessionState {
  const { attempt, allowed, error, answer } = event;
  const goal = noted(openGoal(state), { type: "rejected", attempt, allowed, error }, at);
  return withGoal(state, { ...goal, rejected: { attempt, error, answer } });
}

function todosChanged(state: SessionState, event: Of<"todos-changed">, at: string): SessionState {
  const { iteration, author, todos, userTodos } = event;
  const goal = openGoal(state);
  const number = goal.todoNumber + 1;
  return withGoal(state, {
    ...goal,
    todos,
    userTodos,
    todoNumber: number,
    todoChanges: keep(goal.todoChanges, { number, author, iteration, at, todos }, MAX_TODO_CHANGES),
    movedIn: hasMoved(goal.todos, todos) ? iteration : goal.movedIn,
  });
}

/** A to-do is new, gone, or stands otherwise than before. Another title or place moves nothing. */
export function hasMoved(before: Todo[], after: Todo[]): boolean {
  const stands = new Map(before.map(({ id, status }) => [id, status]));
  return before.length !== after.length || after.some(({ id, status }) => stands.get(id) !== status);
}

function proposed(state: SessionState, event: Of<"goal-action-proposed">, at: string): SessionState {
  const goal = openGoal(state);
  const { actionId: id, iteration, author, action } = event;
  const added: GoalAction = { id, iteration, action, author, state: { type: "waiting" }, at };
  const all = [...goal.actions, added];
  const surplus = Math.max(0, all.length - MAX_GOAL_ACTIONS);
  const actions = all.slice(surplus);
  const old = actions.length - WHOLE_ACTIONS - 1;
  return withGoal(state, {
    ...goal,
    actions: actions.map((one, at) => (at === old ? shortened(one) : one)),
    omittedActions: goal.omittedActions + surplus,
  });
}

export function shortened(one: GoalAction): GoalAction {
  const { content, rationale } = one.action;
  const { state } = one;
  return {
    ...one,
    action: { ...one.action, content: cut(content), rationale: cut(rationale) },
    state:
      state.type === "ended"
        ? {
            type: "ended",
            action: null,
            result: { ...state.result, content: cut(state.result.content), output: null, diffs: [] },
          }
        : state,
  };
}

/** Characters as the engine counts them, not halves of pairs. */
export function cut(text: string): string {
  const characters = [...text];
  return characters.length > CUT ? `${characters.slice(0, CUT).join("")}…` : text;
}

/** Null: the id is none of an action of the goal. So of all below that give null. */
export function callStarted(state: SessionState, event: Of<"call-started">, at: string): SessionState | null {
  const { callId, action, cwd, allowedBy } = event;
  if (!actionOf(state, callId)) return null;
  const begun = moveAction(state, callId, (open) => {
    const running: GoalAction = {
      ...open,
      state: { type: "running", action, cwd, allowedBy, startedAt: at },
    };
    // The user wrote another one where they were asked.
    const rewritten =
      action.type === "shell" && open.action.type === "shell" && action.command !== open.action.content;
    return rewritten
      ? {
          ...running,
          author: open.author === "agent" ? "user" : open.author,
          action: { ...open.action, content: action.command },
        }
      : running;
  });
  return settle(withoutQuestions(begun, callId));
}

export function callFinished(
  state: SessionState,
  { result, shell }: Of<"call-finished">,
): SessionState | null {
  if (!actionOf(state, result.callId)) return null;
  const finished = moveAction(state, result.callId, (open) => ({
    ...open,
    state: { type: "ended", action: open.state.type === "running" ? open.state.action : null, result },
  }));
  const settled = withoutQuestions(finished, result.callId);
  return settle(shell ? { ...settled, shell } : settled);
}

export function asked(state: SessionState, approval: Approval): SessionState | null {
  if (!actionOf(state, approval.stepId)) return null;
  const moved = moveAction(state, approval.stepId, (open) => ({
    ...open,
    state: { type: "awaiting-approval", approvalId: approval.id },
  }));
  const others = withoutQuestions(moved, approval.stepId);
  return settle({ ...others, approvals: [...others.approvals, approval] });
}

export function resolved(state: SessionState, id: StepId): SessionState | null {
  if (!actionOf(state, id)) return null;
  const moved = moveAction(state, id, (open) => ({ ...open, state: { type: "waiting" } }));
  return settle(withoutQuestions(moved, id));
}

function takenOver(state: SessionState, id: StepId): SessionState {
  const moved = moveAction(state, id, (open) => {
    if (open.state.type === "running") throw new Misfit();
    return { ...open, state: { type: "waiting" } };
  });
  // What it would have asked is the user's business now.
  return settle(withGoal(withoutQuestions(moved, id), { ...openGoal(moved), takenOver: id, question: null }));
}

function handedBack(state: SessionState, event: Of<"goal-action-handed-back">): SessionState {
  const { actionId, command } = event;
  if (openGoal(state).takenOver !== actionId) throw new Misfit();
  const moved = moveAction(state, actionId, (open) => ({
    ...open,
    author: "user",
    action: command === null ? open.action : { ...open.action, type: "shell", content: command },
  }));
  return settle(withGoal(moved, { ...openGoal(moved), takenOver: null }));
}

function questionAsked(state: SessionState, { question }: Of<"goal-question-asked">): SessionState {
  return settle(withGoal(state, { ...openGoal(state), question }));
}

function questionAnswered(state: SessionState, event: Of<"goal-question-answered">): SessionState {
  const goal = openGoal(state);
  if (goal.question?.id !== event.questionId) throw new Misfit();
  return settle(withGoal(state, { ...goal, question: null }));
}

function guided(state: SessionState, { text }: Of<"goal-guidance">, at: string): SessionState {
  const { goal } = state;
  if (!goal) throw new Misfit();
  const words = { text, at, iteration: goal.iteration, seen: false };
  return withGoal(state, { ...goal, guidance: keep(goal.guidance, words, MAX_GOAL_NOTES) });
}

function looped(state: SessionState, event: Of<"goal-loop-noticed">, at: string): SessionState {
  const { kind, iteration, reflectedBefore: again } = event;
  const goal = noted(openGoal(state), { type: "looped", kind, again }, at);
  return withGoal(state, { ...goal, looped: { kind, iteration } });
}

function sentBack(state: SessionState, { reason }: Of<"goal-sent-back">, at: string): SessionState {
  const goal = noted(openGoal(state), { type: "sent-back", reason }, at);
  return withGoal(state, { ...goal, sentBack: reason, checking: false });
}

function paused(state: SessionState, { reason }: Of<"goal-paused">): SessionState {
  return withGoal(state, { ...openGoal(state), phase: { type: "paused", reason } });
}

function resumed(state: SessionState, event: Of<"goal-resumed">, at: string): SessionState {
  const { goal } = state;
  if (!goal || isUnderWay(goal)) throw new Misfit();
  const { phase } = goal;
  if (phase.type === "ended" && phase.end.type === "complete") throw new Misfit();
  // It has not been told what ended it, so it begins afresh: no error and no loop counts against it.
  const afresh: Partial<GoalState> =
    phase.type === "ended" ? { rejected: null, looped: null, checking: false, movedIn: goal.iteration } : {};
  const next: GoalState = {
    ...noted(goal, { type: "resumed", allowed: event.iterationsAllowed }, at),
    ...afresh,
    phase: { type: "working" },
    iterationsAllowed: event.iterationsAllowed,
    request: event.modelBackend ? { ...goal.request, modelBackend: event.modelBackend } : goal.request,
    endedAt: null,
  };
  return settle(withGoal(state, next));
}

function ended(state: SessionState, { end, report }: Of<"goal-ended">, at: string): SessionState {
  const goal = openGoal(state);
  const withdrawn = new Set(goal.actions.flatMap((one) => (isOpen(one.state) ? [one.id] : [])));
  const next: GoalState = {
    ...goal,
    phase: { type: "ended", end },
    question: null,
    takenOver: null,
    checking: false,
    ...(report ? { report } : {}),
    endedAt: at,
    actions: goal.actions.map((one) =>
      withdrawn.has(one.id) ? { ...one, state: notRun(one.id, one.action.type, at) } : one,
    ),
  };
  const approvals = state.approvals.filter((open) => !withdrawn.has(open.stepId));
  return { ...withGoal(state, next), approvals };
}

/** As the engine says it of an action that the end of its goal withdrew. */
export function notRun(callId: StepId, tool: string, at: string): CallState {
  const result: ToolResult = {
    callId,
    tool,
    outcome: "declined",
    content: "It was not run.",
    output: null,
    omittedLines: 0,
    exitStatus: null,
    diffs: [],
    filesChanged: [],
    moreFilesChanged: 0,
    startedAt: at,
    endedAt: at,
  };
  return { type: "ended", action: null, result };
}

/** Not ended. One that runs when the goal ends is told of by its own event before. */
export function isOpen(state: CallState): boolean {
  return state.type !== "ended";
}

function hasEnded(goal: GoalState): boolean {
  return goal.phase.type === "ended";
}

function isUnderWay({ phase }: GoalState): boolean {
  return phase.type === "working" || phase.type === "waiting";
}

/** What it waits for follows from what is open. A pause and an end stay what they are. */
function settle(state: SessionState): SessionState {
  const { goal } = state;
  return goal && isUnderWay(goal) ? withGoal(state, { ...goal, phase: waitOf(goal) }) : state;
}

function waitOf({ takenOver, question, actions }: GoalState): GoalPhase {
  if (takenOver !== null) return { type: "waiting", what: "hand" };
  if (question) {
    return { type: "waiting", what: question.askedBy === "agent" ? "question" : "verify-question" };
  }
  const asks = actions.at(-1)?.state.type === "awaiting-approval";
  return asks ? { type: "waiting", what: "approval" } : { type: "working" };
}

function noted(goal: GoalState, what: GoalNoted, at: string): GoalState {
  return { ...goal, notes: keep(goal.notes, { at, what }, MAX_GOAL_NOTES) };
}

function keep<T>(list: T[], last: T, atMost: number): T[] {
  return [...list, last].slice(-atMost);
}

export function openGoal({ goal }: SessionState): GoalState {
  if (!goal || hasEnded(goal)) throw new Misfit();
  return goal;
}

export function withGoal(state: SessionState, goal: GoalState): SessionState {
  return { ...state, goal };
}

function withoutQuestions(state: SessionState, id: StepId): SessionState {
  return { ...state, approvals: state.approvals.filter((open) => open.stepId !== id) };
}

function actionOf({ goal }: SessionState, id: StepId): GoalAction | undefined {
  // The one that is asked for is among the last.
  return goal?.actions.findLast((action) => action.id === id);
}

function moveAction(state: SessionState, id: StepId, to: (before: GoalAction) => GoalAction): SessionState {
  const { goal } = state;
  const found = actionOf(state, id);
  if (!goal || !found || !isOpen(found.state)) throw new Misfit();
  const moved = to(found);
  return withGoal(state, {
    ...goal,
    actions: goal.actions.map((action) => (action === found ? moved : action)),
  });
}
