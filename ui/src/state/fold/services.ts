/** Services in the fold, as the engine folds them. One that has ended stays ended. */
import type { Plan, Service, ServiceId, ServiceState, SessionState, StepId, StepState } from "@/ipc/bindings";
import { Misfit } from "./misfit";

/** So many that have ended are kept. */
const ENDED = 50;

export function started(state: SessionState, service: Service): SessionState {
  const services: Service[] = [...(state.services ?? []), { ...service, state: { type: "starting" } }];
  const ended = services.filter((one) => one.state.type === "ended");
  const oldest = ended.length > ENDED ? ended[0] : undefined;
  return { ...state, services: services.filter((one) => one !== oldest) };
}

export function changed(state: SessionState, id: ServiceId, to: ServiceState): SessionState {
  const services = (state.services ?? []).map((one) =>
    one.id === id && one.state.type !== "ended" ? { ...one, state: to } : one,
  );
  return { ...state, services };
}

const MAY_SERVE_AGAIN: ReadonlySet<StepState["type"]> = new Set([
  "completed",
  "pending",
  "failed",
  "cancelled",
  "interrupted",
]);

/** Its step is to be done once more, and a completed plan is not complete without it. */
export function wanted(state: SessionState, id: ServiceId, stepId: StepId): SessionState {
  const service = (state.services ?? []).find((one) => one.id === id && one.stepId === stepId);
  const step = state.plan?.steps.find((one) => one.id === stepId);
  if (service?.state.type !== "ended" || !state.plan || !step || !MAY_SERVE_AGAIN.has(step.state.type)) {
    throw new Misfit();
  }
  const plan: Plan = {
    ...state.plan,
    state:
      state.plan.state.type === "completed" ? { type: "paused", reason: { type: "user" } } : state.plan.state,
    steps: state.plan.steps.map((one) => (one.id === stepId ? { ...one, state: { type: "pending" } } : one)),
  };
  return { ...state, plan };
}
