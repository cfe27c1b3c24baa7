/* The sub-goals' part of the fold: what each was given, said, did and came to. It must follow the engine's
   `journal/fold/sub_goal.rs`; what does not fit throws `Misfit`. */
import type { Event, GoalAction, GoalState, SessionState, StepId, SubGoal } from "@/ipc/bindings";
import { counted } from "./conversation";
import { cut, hasMoved, isOpen, notRun, openGoal, shortened, withGoal } from "./goal";
import { Misfit } from "./misfit";

/** Sub-goals that a state holds. */
export const MAX_SUB_GOALS = 12;
/** The last actions of a sub-goal keep all they hold while it is under way. */
const WHOLE_ACTIONS = 3;

export type SubGoalEvent = Extract<Event, { type: `sub-goal-${string}` }>;
type Of<T extends Event["type"]> = Extract<Event, { type: T }>;

export function isOfSubGoal(event: Event): event is SubGoalEvent {
  return event.type.startsWith("sub-goal-");
}

export function change(state: SessionState, event: SubGoalEvent, at: string): SessionState {
  switch (event.type) {
    case "sub-goal-started":
      return started(state, event, at);
    case "sub-goal-signal-received":
      return onBranch(state, event.number, (sub) => ({
        ...sub,
        movedIn: hasMoved(sub.todos, event.signal.todos) ? event.iteration : sub.movedIn,
        iteration: event.iteration,
        status: event.signal.status,
        todos: event.signal.todos,
        assessment: event.signal.selfAssessment,
        rejected: null,
        retrying: null,
      }));
    case "sub-goal-signal-rejected": {
      const { attempt, error, answer } = event;
      return onBranch(state, event.number, (sub) => ({
        ...sub,
        rejected: { attempt, error, answer },
        retrying: null,
      }));
    }
    case "sub-goal-action-proposed":
      return onBranch(state, event.number, (sub) => proposed(sub, event, at));
    case "sub-goal-loop-noticed": {
      const { kind, iteration } = event;
      return onBranch(state, event.number, (sub) => ({ ...sub, looped: { kind, iteration } }));
    }
    case "sub-goal-ended":
      return onBranch(state, event.number, (sub) => ({
        ...sub,
        end: event.end,
        synthesis: event.synthesis,
        endedAt: at,
        retrying: null,
        rejected: sub.rejected && { ...sub.rejected, answer: cut(sub.rejected.answer) },
        actions: sub.actions.map((one) =>
          isOpen(one.state) ? { ...one, state: notRun(one.id, one.action.type, at) } : one,
        ),
      }));
  }
}

function started(state: SessionState, { task }: Of<"sub-goal-started">, at: string): SessionState {
  const goal = openGoal(state);
  if (task.number !== goal.subGoalCount + 1) throw new Misfit();
  const begun: SubGoal = {
    task,
    end: null,
    synthesis: null,
    seen: false,
    status: "planning",
    iteration: 0,
    todos: [],
    movedIn: 0,
    actions: [],
    assessment: "",
    rejected: null,
    retrying: null,
    looped: null,
    usage: { inputTokens: 0, outputTokens: 0, cachedTokens: 0, calls: 0, costMicros: 0, unpricedCalls: 0 },
    startedAt: at,
    endedAt: null,
  };
  const before = goal.subGoals.map((sub) =>
    sub.end ? { ...sub, actions: sub.actions.map(shortened) } : sub,
  );
  const subGoals = [...before, begun];
  while (subGoals.length > MAX_SUB_GOALS) {
    const oldest = subGoals.findIndex((sub) => sub.end !== null);
    if (oldest < 0) break;
    subGoals.splice(oldest, 1);
  }
  return withGoal(state, { ...goal, subGoals, subGoalCount: task.number });
}

function proposed(sub: SubGoal, event: Of<"sub-goal-action-proposed">, at: string): SubGoal {
  const { actionId: id, iteration, action } = event;
  const added: GoalAction = { id, iteration, action, author: "agent", state: { type: "waiting" }, at };
  const actions = [...sub.actions, added];
  const old = actions.length - WHOLE_ACTIONS - 1;
  return { ...sub, actions: actions.map((one, nth) => (nth === old ? shortened(one) : one)) };
}

/** Its model could not be reached and is asked again. One whose end came first waits no more. */
export function waits(state: SessionState, event: Of<"model-retrying">, at: string): SessionState {
  const { model, attempt, allowed, waitMillis, reason, subGoal } = event;
  const { goal } = state;
  const found = goal?.subGoals.find((sub) => sub.task.number === subGoal && sub.end === null);
  if (!goal || !found) return state;
  const retrying = { model, attempt, allowed, waitMillis, reason, at };
  return replaced(state, goal, found, { ...found, retrying });
}

/** What its models were asked is counted for it, also after its end. */
export function used(state: SessionState, { subGoal, usage }: Of<"model-used">): SessionState {
  const { goal } = state;
  if (!goal || subGoal == null) return state;
  const at = goal.subGoals.findLastIndex((sub) => sub.task.number === subGoal);
  const subGoals = goal.subGoals.map((sub, nth) =>
    nth === at ? { ...sub, usage: counted(sub.usage, usage) } : sub,
  );
  return withGoal(state, { ...goal, subGoals });
}

/** Null: the id is none of an action of a sub-goal. */
export function callStarted(state: SessionState, event: Of<"call-started">, at: string): SessionState | null {
  const { callId, action, cwd, allowedBy } = event;
  return onAction(state, callId, (open) => ({
    ...open,
    state: { type: "running", action, cwd, allowedBy, startedAt: at },
  }));
}

/** The shell stays as it was, whatever the command did to its own. */
export function callFinished(state: SessionState, { result }: Of<"call-finished">): SessionState | null {
  return onAction(state, result.callId, (open) => ({
    ...open,
    state: { type: "ended", action: open.state.type === "running" ? open.state.action : null, result },
  }));
}

function onBranch(state: SessionState, number: number, to: (sub: SubGoal) => SubGoal): SessionState {
  const goal = openGoal(state);
  const found = goal.subGoals.find((sub) => sub.task.number === number);
  if (!found || found.end) throw new Misfit();
  return replaced(state, goal, found, to(found));
}

function onAction(
  state: SessionState,
  id: StepId,
  to: (open: GoalAction) => GoalAction,
): SessionState | null {
  const { goal } = state;
  const sub = goal?.subGoals.findLast((one) => one.actions.some((action) => action.id === id));
  const found = sub?.actions.findLast((action) => action.id === id);
  if (!goal || !sub || !found) return null;
  if (!isOpen(found.state)) throw new Misfit();
  const moved = to(found);
  const actions = sub.actions.map((action) => (action === found ? moved : action));
  return replaced(state, goal, sub, { ...sub, actions });
}

function replaced(state: SessionState, goal: GoalState, before: SubGoal, after: SubGoal): SessionState {
  return withGoal(state, {
    ...goal,
    subGoals: goal.subGoals.map((sub) => (sub === before ? after : sub)),
  });
}
