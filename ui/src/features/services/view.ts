/** Which services are worth a line, and their words. */
import { t } from "@/i18n";
import type { Service, ServiceEnd, SessionState } from "@/ipc/bindings";
import { commandOf, exitText } from "@/shared/steps";

export function isRunning(service: Service): boolean {
  return service.state.type !== "ended";
}

/** Those that run, and those that are gone without anybody's wish, unless their step has started another since. */
export function worthALine(services: Service[]): Service[] {
  return services.filter((service, place) => {
    if (isRunning(service)) return true;
    if (service.state.type === "ended" && endText(service.state.end) === null) return false;
    return !services.slice(place + 1).some((later) => later.stepId === service.stepId);
  });
}

/** Whether its step can be run once more, alone. Not while anything else is under way. */
export function canStartAgain(session: SessionState, service: Service): boolean {
  const { plan, conversation } = session;
  const step = plan?.steps.find((one) => one.id === service.stepId);
  if (!plan || !step?.service || commandOf(step) !== service.command || conversation?.turn) return false;
  switch (plan.state.type) {
    case "draft":
    case "ready":
    case "running":
    case "recovering":
      return false;
    default:
      return !isRunning(service) && step.state.type !== "skipped";
  }
}

/** How it came to an end by itself; null for one that was ended on purpose. */
export function endText(end: ServiceEnd): string | null {
  switch (end.type) {
    case "itself":
      return t("services.end.itself", { exit: exitText(end.exitStatus) });
    case "session-ended":
      return t("services.end.sessionEnded");
    case "lost":
      return t("services.end.lost");
    case "stopped":
    case "not-ready":
    case "replaced":
      return null;
  }
}
