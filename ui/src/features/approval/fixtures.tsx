/** Questions for tests, and the layer with a host in memory behind it. */
import type { Approval, ApprovalAnswer, Command, SessionId, SessionState } from "@/ipc/bindings";
import { assessment, photoServerPlan, repairApproval, repairedPlan } from "@/ipc/demo/photoServer";
import { FakeHost } from "@/ipc/fakeHost";
import { HostContext } from "@/ipc/host";
import { begin } from "@/state/fold";
import { ApprovalLayer } from "./ApprovalLayer";

export const NOW = "2026-03-02T14:02:00Z";

export const dangerous = repairApproval("a1", NOW, 2);

export const careful: Approval = {
  ...dangerous,
  id: "a2",
  action: { type: "shell", command: "git fetch origin" },
  assessment: assessment("caution"),
  proposer: { type: "plan" },
  stepId: "clone",
  offers: [
    { type: "exact", command: "git fetch origin" },
    { type: "program", words: ["git", "fetch"] },
  ],
};

export function session(...approvals: Approval[]): SessionState {
  const plan = repairedPlan(photoServerPlan("plan"));
  return {
    ...begin("session", "Photo server", "/home/ada", NOW),
    seq: 1,
    plan,
    approvals,
  };
}

export type Answered = { answer: ApprovalAnswer; sessionId: SessionId };

type Around = {
  answers?: ApprovalAnswer[];
  answered?: Answered[];
  waiting?: SessionState[];
  host?: FakeHost;
};

/** The host that nothing else is said about: no rules, no past, forecasts at once. */
const quiet = new FakeHost({ speed: Number.POSITIVE_INFINITY, settings: { forecast: false } });

export function layer(state: SessionState | null, around: Around = {}) {
  const { answers = [], answered = [], waiting = [], host = quiet } = around;
  const onCommand = async (command: Command, sessionId: SessionId) => {
    if (command.type !== "answer") return;
    answers.push(command.answer);
    answered.push({ answer: command.answer, sessionId });
  };
  return (
    <HostContext value={host}>
      <button type="button">before</button>
      <input aria-label="composer" />
      <ApprovalLayer session={state} waiting={waiting} onCommand={onCommand} />
    </HostContext>
  );
}

export const wait = (ms: number) => new Promise((done) => setTimeout(done, ms));

/** Past the time in which all input is swallowed. */
export const guard = () => wait(420);
