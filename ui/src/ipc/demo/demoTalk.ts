/* Plays a turn of the demonstration conversation: the answer word by word, tools with their output, the question about an
   edit, the end. It answers commands as the engine would, as far as the window can see. */
import type {
  Action,
  AllowedBy,
  AnswerPart,
  ApprovalAnswer,
  ApprovalId,
  CallOutcome,
  ChatEntry,
  Command,
  FileDiff,
  MessageId,
  Route,
  SessionId,
  ToolResult,
  TurnEnd,
} from "../bindings";
import type { FakeHost } from "../fakeHost";
import { placed } from "./placed";
import { answersFor, type DemoCall, type DemoRound, detected, EDIT_ASSESSMENT } from "./talkScript";

/** Letters a second, and how often they come. */
const LETTERS = 320;
const EVERY_MS = 40;

type Say = Extract<Command, { type: "say" }>;
type OpenCall = Extract<ChatEntry, { type: "call" }>;

export class DemoTalk {
  readonly #host: FakeHost;
  readonly #id: SessionId;
  readonly #model: string;
  readonly #timers = new Set<ReturnType<typeof setTimeout>>();
  /** What goes on once the question about a call is answered. */
  #answered: ((allowed: boolean) => void) | null = null;

  constructor(host: FakeHost, id: SessionId, model: string) {
    this.#host = host;
    this.#id = id;
    this.#model = model;
  }

  say({ text, route, replaces }: Say, plan: (messageId: MessageId) => void): void {
    this.interrupt();
    const messageId = this.#host.newId("message");
    const detection = route === "auto" ? detected(text) : null;
    const decided: Route = detection ? (detection.shouldPlan ? "plan" : "chat") : route;
    this.#record({ type: "user-message", messageId, text, route: decided, detection, replaces });
    if (decided === "chat") this.#round(messageId, 1, answersFor(text));
    else this.#after(900, () => plan(messageId));
  }

  /** Ends a turn that made a plan. */
  proposed(messageId: MessageId, planId: string): void {
    this.#end(messageId, { type: "plan-proposed", planId });
  }

  interrupt(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
    this.#answered = null;
    const { conversation } = this.#host.session(this.#id);
    if (!conversation?.turn) return;
    for (const entry of conversation.entries ?? []) {
      if (entry.type === "call" && entry.state.type !== "ended") this.#interrupted(entry);
    }
    this.#end(conversation.turn.messageId, { type: "interrupted" });
  }

  /** Whether the question was about a call of this conversation. */
  answer(approvalId: ApprovalId, answer: ApprovalAnswer): boolean {
    const approval = this.#host.session(this.#id).approvals.find((open) => open.id === approvalId);
    const goOn = this.#answered;
    if (!approval || !goOn) return false;
    const allowed = answer.type === "allow-once" || answer.type === "allow-always";
    const { stepId } = approval;
    const allowedBy: AllowedBy | null = allowed ? { type: "user" } : null;
    this.#record({ type: "approval-resolved", approvalId, stepId, answer, allowedBy });
    this.#answered = null;
    goOn(allowed);
    return true;
  }

  #record(event: Parameters<FakeHost["record"]>[1]): void {
    this.#host.record(this.#id, event);
  }

  #after(millis: number, then: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      then();
    }, millis / this.#host.speed);
    this.#timers.add(timer);
  }

  #round(messageId: MessageId, round: number, script: DemoRound[]): void {
    const [now, ...later] = script;
    if (!now) {
      this.#end(messageId, { type: "done" });
      return;
    }
    this.#after(500, () =>
      this.#stream(messageId, round, "reasoning", now.reasoning ?? "", () =>
        this.#stream(messageId, round, "text", now.text, () => {
          const parts = this.#parts(now);
          const stopReason = now.calls.length > 0 ? "tool_use" : "end_turn";
          this.#record({
            type: "assistant-message",
            messageId,
            round,
            model: this.#model,
            parts,
            stopReason,
          });
          const ids = parts.flatMap((part) => (part.type === "call" ? [part.callId] : []));
          this.#calls(now.calls, ids, () => this.#round(messageId, round + 1, later));
        }),
      ),
    );
  }

  #stream(
    messageId: MessageId,
    round: number,
    type: "text" | "reasoning",
    text: string,
    then: () => void,
  ): void {
    const letters = Number.isFinite(this.#host.speed)
      ? Math.max(1, Math.round((LETTERS * EVERY_MS * this.#host.speed) / 1000))
      : text.length;
    const step = (from: number) => {
      if (from >= text.length) {
        then();
        return;
      }
      const deltas = [{ type, text: text.slice(from, from + letters) }];
      this.#host.publish([{ type: "answer", sessionId: this.#id, messageId, round, deltas }]);
      const timer = setTimeout(() => {
        this.#timers.delete(timer);
        step(from + letters);
      }, EVERY_MS);
      this.#timers.add(timer);
    };
    step(0);
  }

  #parts({ reasoning, text, calls }: DemoRound): AnswerPart[] {
    const said: AnswerPart[] = [];
    if (reasoning) said.push({ type: "reasoning", text: reasoning, signature: null });
    if (text !== "") said.push({ type: "text", text });
    const called = calls.map(({ tool, input }): AnswerPart => {
      const callId = this.#host.newId("call");
      return { type: "call", callId, providerId: callId, tool, input: JSON.stringify(input) };
    });
    return [...said, ...called];
  }

  #calls(calls: DemoCall[], ids: string[], then: () => void): void {
    const [call, ...later] = calls;
    const [callId, ...laterIds] = ids;
    if (!call || callId === undefined) {
      then();
      return;
    }
    const next = () => this.#calls(later, laterIds, then);
    if (!call.asks) {
      this.#call(call, callId, { type: "mode" }, next);
      return;
    }
    this.#ask(call, callId, call.diffs ?? []);
    this.#answered = (allowed) => {
      if (allowed) {
        this.#call(call, callId, { type: "user" }, next);
        return;
      }
      const content = "The user did not allow this.";
      const now = this.#host.time();
      this.#record(finished(call, callId, now, now, { outcome: "declined", content, diffs: [] }));
      this.#after(300, next);
    };
  }

  #ask(call: DemoCall, callId: string, diffs: FileDiff[]): void {
    this.#after(300, () =>
      this.#record({
        type: "approval-needed",
        approval: {
          id: this.#host.newId("approval"),
          stepId: callId,
          revision: 0,
          action: actionOf(call),
          cwd: this.#host.session(this.#id).cwd,
          user: "ada",
          assessment: EDIT_ASSESSMENT,
          warningMessage: "This changes a file.",
          proposer: {
            type: "chat",
            model: this.#model,
            reason: "The health check looks for the wrong port.",
          },
          previousCommand: null,
          offers: [{ type: "tool", tool: call.tool }],
          askedAt: this.#host.time(),
          diffs,
        },
      }),
    );
  }

  #call(call: DemoCall, callId: string, allowedBy: AllowedBy, then: () => void): void {
    const startedAt = this.#host.time();
    const { cwd } = this.#host.session(this.#id);
    this.#record({ type: "call-started", callId, action: actionOf(call), cwd, allowedBy });
    const lines = call.output ?? [];
    lines.forEach((line, at) => {
      const atMillis = Math.round((call.millis * (at + 1)) / (lines.length + 1));
      const chunks = [{ stream: "stdout" as const, text: `${line}\n`, atMillis, ...placed(lines, at) }];
      this.#after(atMillis, () =>
        this.#host.publish([{ type: "output", sessionId: this.#id, stepId: callId, attempt: 0, chunks }]),
      );
    });
    this.#after(call.millis, () => {
      this.#record(finished(call, callId, startedAt, this.#host.time(), {}));
      then();
    });
  }

  #interrupted({ callId, tool, state }: OpenCall): void {
    const now = this.#host.time();
    const startedAt = state.type === "running" ? state.startedAt : now;
    const call: DemoCall = {
      tool,
      input: {},
      content: "[Request interrupted by user for tool use]",
      millis: 0,
    };
    this.#record(finished(call, callId, startedAt, now, { outcome: "interrupted", exitStatus: null }));
  }

  #end(messageId: MessageId, end: TurnEnd): void {
    this.#record({ type: "turn-ended", messageId, end, synthesis: null });
  }
}

function actionOf({ tool, input }: DemoCall): Action {
  if (tool === "shell") return { type: "shell", command: String(input.command) };
  return {
    type: "tool",
    tool,
    input: JSON.stringify(input),
    command: `${tool} ${String(input.path ?? "")}`.trim(),
  };
}

function finished(
  call: DemoCall,
  callId: string,
  startedAt: string,
  endedAt: string,
  more: Partial<ToolResult>,
): { type: "call-finished"; result: ToolResult; shell: null } {
  const failed = (call.exit ?? 0) !== 0;
  const outcome: CallOutcome = failed ? "error" : "success";
  const output = call.output ? call.output.map((line) => `${line}\n`).join("") : null;
  const result: ToolResult = {
    callId,
    tool: call.tool,
    outcome,
    content: call.content ?? output ?? "",
    output,
    omittedLines: 0,
    exitStatus: call.tool === "shell" ? { type: "code", code: call.exit ?? 0 } : null,
    diffs: call.diffs ?? [],
    filesChanged: (call.diffs ?? []).map((diff) => diff.path),
    startedAt,
    endedAt,
    ...more,
  };
  return { type: "call-finished", result, shell: null };
}
