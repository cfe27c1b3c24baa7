/** Services in the fold, as the engine folds them. One that has ended stays ended. */
import type { Service, ServiceId, ServiceState, SessionState } from "@/ipc/bindings";

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
