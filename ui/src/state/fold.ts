/* The window's copy of the engine's fold: one event after another makes a session's state. Pure. It must follow the
   engine's `journal/fold.rs`; where the two could part (a gap in the numbers, an event that does not fit) it asks for a
   fresh snapshot instead of guessing. */
import type {
  Author,
  Event,
  EventRecord,
  Ledger,
  Plan,
  PlanState,
  SessionId,
  SessionState,
  Step,
  StepId,
  StepState,
  StuckReason,
} from "@/ipc/bindings";
import { revise } from "@/shared/revisions";
import * as conversation from "./fold/conversation";
import * as goal from "./fold/goal";
import { Misfit } from "./fold/misfit";
import * as services from "./fold/services";
import * as subGoal from "./fold/subGoal";
import * as terminals from "./fold/terminals";
import * as undo from "./fold/undo";

export const MAX_RETRIES_PER_STEP = 3;
export const MAX_TOTAL_CORRECTIONS = 10;
export const MAX_ADDED_STEPS = 10;

/** `resync`: this record cannot be applied here; open the session again. */
export type Folded = { type: "applied"; state: SessionState } | { type: "known" } | { type: "resync" };

export function applyRecord(state: SessionState, record: EventRecord): Folded {
  if (record.sessionId !== state.id || record.seq <= state.seq) return { type: "known" };
  if (record.seq !== state.seq + 1) return { type: "resync" };
  try {
    const changed = withoutSecretsOf(change(state, record.event, record.at), record.event);
    const thinking = endsThinking(record.event) ? null : changed.thinking;
    const retry = END_A_WAIT.has(record.event.type) ? null : changed.retry;
    return { type: "applied", state: { ...changed, thinking, retry, seq: record.seq } };
  } catch (thrown) {
    if (thrown instanceof Misfit) return { type: "resync" };
    throw thrown;
  }
}

function change(state: SessionState, event: Event, at: string): SessionState {
  if (goal.isOfGoal(event)) return goal.change(state, event, at);
  if (subGoal.isOfSubGoal(event)) return subGoal.change(state, event, at);
  switch (event.type) {
    case "session-created":
      return { ...state, title: event.title, cwd: event.cwd, shell: { cwd: event.cwd }, createdAt: at };
    case "session-renamed":
      return { ...state, title: event.title };

    case "plan-generated":
      return generated(state, event.plan, at);
    case "plan-confirmed":
      return movePlan(state, { type: "ready" });
    case "plan-rejected":
      return finish(state, { type: "cancelled" });
    case "plan-started":
    case "plan-resumed":
      return withPlan(state, (plan) => ({ ...plan, mode: event.mode, state: { type: "running" } }));
    case "mode-changed":
      return withPlan(state, (plan) => ({ ...plan, mode: event.mode }));
    case "plan-paused":
      return movePlan(state, { type: "paused", reason: event.reason });
    case "plan-completed":
      return finish(state, { type: "completed" });
    case "plan-failed":
      return finish(state, { type: "failed", code: event.code ?? "", reason: event.reason });
    case "plan-cancelled":
      return finish(state, { type: "cancelled" });
    case "plan-revised":
      return revised(state, event, at);
    case "inputs-forgotten":
      return forgotten(state, event.names);

    case "step-awaiting-run":
      return moveStep(state, event.stepId, { type: "awaiting-run" });
    case "retry-attempt": {
      const { stepId, attempt, allowed, waitSeconds } = event;
      const until = new Date(Date.parse(at) + waitSeconds * 1000).toISOString();
      return { ...state, retry: waitSeconds > 0 ? { stepId, attempt, allowed, until } : null };
    }
    case "step-started":
      return terminals.started(
        started(state, event.stepId, event.attempt, at),
        event.stepId,
        event.attempt,
        event.terminal,
      );
    case "step-completed": {
      const { result, shell } = event;
      const moved = moveStep(state, result.stepId, { type: "completed", attempt: result.attemptIndex });
      const settled = settleRecovery(moved, result.stepId);
      return { ...settled, results: [...state.results, result], shell: shell ?? state.shell };
    }
    case "step-failed": {
      const { result, reason } = event;
      const failed: StepState = { type: "failed", attempt: result.attemptIndex, reason };
      return { ...moveStep(state, result.stepId, failed), results: [...state.results, result] };
    }
    case "step-skipped": {
      const moved = moveStep(state, event.stepId, { type: "skipped", reason: event.reason });
      return settleRecovery(withoutQuestions(moved, event.stepId), event.stepId);
    }
    case "step-cancelled": {
      const moved = withoutQuestions(moveStep(state, event.stepId, { type: "cancelled" }), event.stepId);
      return event.result ? { ...moved, results: [...state.results, event.result] } : moved;
    }
    case "step-interrupted":
      return moveStep(state, event.stepId, { type: "interrupted", attempt: event.attempt });
    case "step-reset":
      return withoutQuestions(moveStep(state, event.stepId, { type: "pending" }), event.stepId);

    case "approval-needed": {
      const { approval } = event;
      const ofCall = conversation.asked(state, approval) ?? goal.asked(state, approval);
      if (ofCall) return ofCall;
      const moved = moveStep(state, approval.stepId, { type: "awaiting-approval", approvalId: approval.id });
      const others = state.approvals.filter((open) => open.stepId !== approval.stepId);
      return { ...moved, approvals: [...others, approval] };
    }
    case "approval-resolved": {
      if (!state.approvals.some((open) => open.id === event.approvalId)) throw new Misfit();
      const ofCall = conversation.resolved(state, event.stepId) ?? goal.resolved(state, event.stepId);
      if (ofCall) return ofCall;
      const moved = moveStep(state, event.stepId, { type: "pending" });
      return { ...moved, approvals: state.approvals.filter((open) => open.id !== event.approvalId) };
    }

    case "agent-thinking": {
      const { stepId, asking, about } = event;
      return { ...recovering(state, stepId, at), thinking: { stepId, asking, about, since: at } };
    }
    case "agent-stuck":
      return stuck(state, event.stepId, event.reason);
    case "correction-attempt": {
      const { stepId, number, correction } = event;
      if (!("action" in correction)) {
        return conversation.push(state, {
          type: "self-correcting",
          callId: stepId,
          attempt: number,
          correction,
          at,
        });
      }
      const { action } = correction;
      if (action === "skip" || action === "abort") return state;
      return { ...state, ledger: { ...state.ledger, corrections: state.ledger.corrections + 1 } };
    }
    case "budget-raised":
      return { ...state, ledger: raised(state.ledger) };

    case "checkpoint-created":
      return undo.kept(state, event.checkpoint);
    case "undone":
      return undo.undone(state, event.undo);

    case "page-mended":
      return { ...state, mended: event.page };

    case "secret-needed":
      return { ...state, secrets: [...(state.secrets ?? []), event.request] };
    case "secret-resolved":
      return { ...state, secrets: (state.secrets ?? []).filter(({ id }) => id !== event.requestId) };

    case "service-started":
      return services.started(state, event.service);
    case "service-ready":
      return services.changed(state, event.serviceId, { type: "ready", since: at });
    case "service-ended":
      return services.changed(state, event.serviceId, { type: "ended", at, end: event.end });
    case "jobs-changed":
      return { ...state, jobs: event.jobs };
    case "service-wanted":
      return services.wanted(state, event.serviceId, event.stepId);

    case "instructions-found":
      return { ...state, instructions: event.found };
    case "instructions-answered": {
      const { folder, digest, read } = event;
      const instructions = (state.instructions ?? []).map((one) =>
        one.folder === folder && one.digest === digest
          ? { ...one, reading: read ? ("read" as const) : ("left" as const) }
          : one,
      );
      return { ...state, instructions };
    }

    // For people and reports; the state holds nothing of them.
    case "agent-error":
    case "agent-context-summarized":
    case "rolled-back":
    case "budget-warning":
    case "correction-success":
    case "correction-failed":
    case "guidance-given":
      return state;

    case "user-message":
      return conversation.userMessage(state, event, at);
    case "assistant-message":
      return conversation.answered(state, event, at);
    case "call-started":
      return terminals.started(
        goal.callStarted(state, event, at) ??
          subGoal.callStarted(state, event, at) ??
          conversation.callStarted(state, event, at),
        event.callId,
        0,
        event.terminal,
      );
    case "call-finished":
      return (
        goal.callFinished(state, event) ??
        subGoal.callFinished(state, event) ??
        conversation.callFinished(state, event)
      );
    case "turn-ended":
      return conversation.ended(state, event, at);
    case "model-retrying": {
      const { model, attempt, allowed, waitMillis, reason } = event;
      if (event.subGoal != null) return subGoal.waits(state, event, at);
      return conversation.push(state, { type: "retrying", model, attempt, allowed, waitMillis, reason, at });
    }
    case "cap-warning": {
      const { cap, used, allowed } = event;
      return conversation.push(state, { type: "cap-near", cap, used, allowed, at });
    }
    case "context-summarized":
      return conversation.push(state, { type: "summarized", messages: event.messages, at });
    case "model-used":
      return subGoal.used({ ...state, usage: conversation.counted(state.usage, event.usage) }, event);

    default:
      return unreachable(event);
  }
}

function forgotten(state: SessionState, names: string[]): SessionState {
  if (!state.plan) throw new Misfit();
  const inputs = (state.plan.inputs ?? []).map((input) =>
    names.includes(input.name) ? { ...input, value: null } : input,
  );
  return { ...state, plan: { ...state.plan, inputs } };
}

function unreachable(event: never): never {
  void event;
  // A newer engine's event: only a snapshot can tell what it means.
  throw new Misfit();
}

/** After these no attempt waits for its time any more. */
const END_A_WAIT: ReadonlySet<Event["type"]> = new Set([
  "step-started",
  "step-skipped",
  "step-reset",
  "plan-paused",
  "plan-completed",
  "plan-failed",
  "plan-cancelled",
]);

/** When a command is certainly over, nobody is left to hear what its programs asked for. */
function withoutSecretsOf(state: SessionState, event: Event): SessionState {
  if (!state.secrets?.length) return state;
  const ended = endedRun(event);
  return ended === null
    ? state
    : { ...state, secrets: state.secrets.filter(({ stepId }) => stepId !== ended) };
}

function endedRun(event: Event): StepId | null {
  switch (event.type) {
    case "step-completed":
    case "step-failed":
      return event.result.stepId;
    case "step-cancelled":
    case "step-interrupted":
      return event.stepId;
    case "call-finished":
      return event.result.callId;
    default:
      return null;
  }
}

/** Whether the brain's question is over once this has happened. */
function endsThinking(event: Event): boolean {
  if (goal.isOfGoal(event) || subGoal.isOfSubGoal(event)) return false;
  switch (event.type) {
    case "agent-thinking":
    case "budget-warning":
    case "session-renamed":
    case "mode-changed":
    case "budget-raised":
    case "model-retrying":
    case "model-used":
    case "cap-warning":
    case "context-summarized":
    case "inputs-forgotten":
    case "checkpoint-created":
    case "rolled-back":
    case "undone":
    case "secret-needed":
    case "secret-resolved":
    case "service-started":
    case "service-ready":
    case "service-ended":
    case "service-wanted":
    case "jobs-changed":
      return false;
    default:
      return true;
  }
}

/** The shell state stays, as in a terminal; everything that names steps of the plan before goes with it. */
function generated(state: SessionState, made: Plan, at: string): SessionState {
  // A new plan has done nothing yet, whatever states its text came with.
  const steps = made.steps.map((step): Step => ({ ...step, state: { type: "pending" } }));
  const plan: Plan = { ...made, state: { type: "draft" }, steps };
  const { author, reason } = beginning(plan);
  const messageId = plan.origin.type === "model" ? (plan.origin.messageId ?? null) : null;
  return {
    ...conversation.planned(state, messageId, plan.id, at),
    checkpoints: undo.withoutPlans(state, plan),
    terminals: terminals.withoutPlans(state, plan),
    plan,
    revisions: [{ revision: plan.revision, author, reason, stepId: null, at, changes: [] }],
    ledger: { ...freshLedger(), added: addedSteps(plan) },
    results: [],
    approvals: [],
    shellBefore: [],
  };
}

function beginning(plan: Plan): { author: Author; reason: string } {
  switch (plan.origin.type) {
    case "runbook":
      return { author: { type: "runbook" }, reason: `Imported from ${plan.origin.name}` };
    case "json":
      return { author: { type: "user" }, reason: `Imported from ${plan.origin.name}` };
    case "model":
      return {
        author: { type: "agent", source: plan.origin.name },
        reason: `Written by ${plan.origin.name}`,
      };
    case "user":
      return { author: { type: "user" }, reason: "Written by you" };
  }
}

/** Takes the definitions of the new revision and keeps the states and the mode: a revision never changes what has happened. */
function revised(
  state: SessionState,
  event: Extract<Event, { type: "plan-revised" }>,
  at: string,
): SessionState {
  const old = state.plan;
  if (!old || old.id !== event.planId || event.revision <= old.revision) throw new Misfit();
  const { type: _, planId, originalSteps, page, inputs, ...entry } = event;
  const revised = revise(old.steps, event.changes);
  if (!revised) throw new Misfit();
  // A question is about one exact action of one exact revision: of a new one the step must be asked about anew.
  const asked = new Set(state.approvals.map((open) => open.stepId));
  const steps = revised.map(
    (step): Step => (asked.has(step.id) ? { ...step, state: { type: "pending" } } : step),
  );
  const plan: Plan = { ...old, revision: event.revision, originalSteps, steps };
  if (page) plan.page = page;
  if (inputs) plan.inputs = inputs;
  return {
    ...state,
    plan,
    revisions: [...state.revisions, { ...entry, at }],
    approvals: [],
    ledger: { ...state.ledger, added: addedSteps(plan) },
  };
}

function started(state: SessionState, stepId: StepId, attempt: number, at: string): SessionState {
  const moved = moveStep(state, stepId, { type: "running", attempt, startedAt: at });
  const ledger = { ...state.ledger, stepId, attempt: attempt + 1 };
  if (attempt > 0) return { ...moved, ledger };
  const others = (state.shellBefore ?? []).filter((kept) => kept.stepId !== stepId);
  return { ...moved, ledger, shellBefore: [...others, { stepId, state: state.shell }] };
}

function attemptOf(step: StepState, ledger: Ledger, stepId: StepId): number {
  switch (step.type) {
    case "running":
    case "recovering":
    case "completed":
    case "failed":
    case "interrupted":
      return step.attempt;
    case "pending":
    case "awaiting-run":
    case "awaiting-approval":
    case "skipped":
    case "cancelled":
      return ledger.stepId === stepId ? Math.max(0, ledger.attempt - 1) : 0;
  }
}

/** The step stays `recovering` while its repair steps run, until it starts again itself. */
function recovering(state: SessionState, stepId: StepId, since: string): SessionState {
  const step = stepOf(state, stepId);
  const planMoved = movePlan(state, { type: "recovering", stepId });
  if (step.state.type === "recovering") return planMoved;
  const attempt = attemptOf(step.state, state.ledger, stepId);
  return moveStep(planMoved, stepId, { type: "recovering", attempt, since });
}

function stuck(state: SessionState, stepId: StepId, reason: StuckReason): SessionState {
  const step = stepOf(state, stepId);
  const planMoved = movePlan(state, { type: "stuck", stepId, reason });
  if (step.state.type !== "recovering") return planMoved;
  return moveStep(planMoved, stepId, {
    type: "failed",
    attempt: step.state.attempt,
    reason: stuckInWords(reason),
  });
}

/** Why recovery gave up, as a sentence without a full stop; the same words as the engine's. */
function stuckInWords(reason: StuckReason): string {
  switch (reason.type) {
    case "step-retries":
      return `it still failed after ${reason.allowed} retries`;
    case "corrections":
      return `all ${reason.allowed} corrections of the run are used`;
    case "added-steps":
      return `${reason.allowed} steps have been added and no more may follow`;
    case "no-progress":
      return "the corrections repeat themselves";
    case "aborted":
      return reason.reason;
    case "blocked":
      return `the correction is never allowed to run: ${reason.reason}`;
  }
}

/** Ends the run: open questions close, and nothing is left looking as if it waited. */
function finish(state: SessionState, end: PlanState): SessionState {
  const ended = withPlan(state, (plan) => ({
    ...plan,
    state: end,
    steps: plan.steps.map((step) => (waits(step.state) ? { ...step, state: { type: "cancelled" } } : step)),
  }));
  return { ...ended, approvals: [] };
}

function waits(state: StepState): boolean {
  return state.type === "awaiting-run" || state.type === "awaiting-approval" || state.type === "recovering";
}

/** The plan leaves `recovering` when the step it recovered is done with. */
function settleRecovery(state: SessionState, stepId: StepId): SessionState {
  const now = state.plan?.state;
  if (now?.type !== "recovering" || now.stepId !== stepId) return state;
  return movePlan(state, { type: "running" });
}

function raised(ledger: Ledger): Ledger {
  if (ledger.correctionsAllowed !== MAX_TOTAL_CORRECTIONS) throw new Misfit();
  return {
    ...ledger,
    attemptsAllowed: ledger.attemptsAllowed + MAX_RETRIES_PER_STEP,
    correctionsAllowed: ledger.correctionsAllowed + MAX_TOTAL_CORRECTIONS,
  };
}

/** A session of which nothing is recorded yet, as the engine's `begin`. */
export function begin(id: SessionId, title: string, cwd: string, createdAt: string): SessionState {
  return {
    id,
    title,
    cwd,
    createdAt,
    seq: 0,
    plan: null,
    revisions: [],
    results: [],
    ledger: freshLedger(),
    approvals: [],
    shell: { cwd },
    shellBefore: [],
    thinking: null,
    usage: {},
  };
}

export function freshLedger(): Ledger {
  return {
    stepId: null,
    attempt: 0,
    attemptsAllowed: 1 + MAX_RETRIES_PER_STEP,
    corrections: 0,
    correctionsAllowed: MAX_TOTAL_CORRECTIONS,
    added: 0,
    addedAllowed: MAX_ADDED_STEPS,
  };
}

function addedSteps(plan: Plan): number {
  return Math.max(0, plan.steps.length - plan.originalSteps);
}

function withoutQuestions(state: SessionState, stepId: StepId): SessionState {
  return { ...state, approvals: state.approvals.filter((open) => open.stepId !== stepId) };
}

function withPlan(state: SessionState, edit: (plan: Plan) => Plan): SessionState {
  if (!state.plan) throw new Misfit();
  return { ...state, plan: edit(state.plan) };
}

function movePlan(state: SessionState, to: PlanState): SessionState {
  return withPlan(state, (plan) => ({ ...plan, state: to }));
}

function stepOf(state: SessionState, stepId: StepId): Step {
  const step = state.plan?.steps.find((candidate) => candidate.id === stepId);
  if (!step) throw new Misfit();
  return step;
}

function moveStep(state: SessionState, stepId: StepId, to: StepState): SessionState {
  const from = stepOf(state, stepId);
  // A completed step is never touched again.
  if (from.state.type === "completed") throw new Misfit();
  return withPlan(state, (plan) => ({
    ...plan,
    steps: plan.steps.map((step) => (step.id === stepId ? { ...step, state: to } : step)),
  }));
}
