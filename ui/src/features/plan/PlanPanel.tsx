import type { ReactNode } from "react";
import type { Command, SessionState } from "@/ipc/bindings";

export type PlanPanelProps = {
  session: SessionState;
  /** Never rejects: errors are shown by the shell. */
  onCommand: (command: Command) => Promise<void>;
  /** A revision to compare the present one with. */
  compareWith: number | null;
  onCompare: (revision: number | null) => void;
  /** "Give guidance": the composer takes the focus. */
  onGuidance: () => void;
  /** The shell's full-width button. */
  headerExtra?: ReactNode;
};

export function PlanPanel({ session }: PlanPanelProps) {
  return <section aria-label={session.title} />;
}
