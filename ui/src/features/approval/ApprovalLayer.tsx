import type { Command, SessionState } from "@/ipc/bindings";

export type ApprovalLayerProps = {
  session: SessionState;
  /** Never rejects: errors are shown by the shell. */
  onCommand: (command: Command) => Promise<void>;
};

export function ApprovalLayer(_props: ApprovalLayerProps) {
  return null;
}
