/* The rules and forecasts of the host in memory: answers make rules, rules are taken back, dangerous commands are "tried out". */

import { textOf } from "@/shared/steps";
import type {
  Approval,
  ApprovalId,
  Command,
  Forecast,
  Grant,
  GrantLifetime,
  GrantPreview,
  GrantRule,
  PastCommand,
  SessionId,
  SessionState,
} from "../bindings";
import { engineError } from "../engineError";
import type { FakeHost } from "../fakeHost";
import { forecastOf, previewOf } from "./safety";

export type FakeSafetyOptions = {
  grants?: Grant[];
  /** What rules are compared with before they are made. */
  past?: PastCommand[];
};

const DAY_MS = 86_400_000;

export class FakeSafety {
  readonly #host: FakeHost;
  readonly #past: PastCommand[];
  readonly #forecasts = new Map<ApprovalId, Forecast>();
  grants: Grant[];

  constructor(host: FakeHost, { grants = [], past = [] }: FakeSafetyOptions) {
    this.#host = host;
    this.#past = past;
    this.grants = grants;
  }

  revoke(id: string): void {
    this.#keep(this.grants.filter((grant) => grant.id !== id));
  }

  async preview(rule: GrantRule): Promise<GrantPreview> {
    await this.#pause(400);
    return previewOf(rule, this.#past);
  }

  addNever(rule: GrantRule): void {
    if (rule.type === "program" && rule.words[0]?.startsWith("-")) {
      throw engineError("invalid-input", "A command begins with a program, not with an option.");
    }
    this.#add(false, rule, "always", "");
  }

  /** Keeps the rule that an answer makes. */
  remember(session: SessionState, { approvalId, answer }: Extract<Command, { type: "answer" }>): void {
    const { id, cwd, plan, approvals } = session;
    const open = approvals.find((approval) => approval.id === approvalId);
    if (!open) return;
    if (answer.type === "never") {
      this.#add(false, { type: "exact", command: textOf(open.action) }, "always", "");
    } else if (answer.type === "allow-always") {
      const bound = { run: plan?.id ?? "", session: id, folder: cwd, always: "" };
      this.#add(true, answer.rule, answer.lifetime, bound[answer.lifetime]);
    }
  }

  forecast(approvalId: ApprovalId, sessions: SessionState[]): Forecast | null {
    const asking = sessions.find(({ approvals }) => approvals.some(({ id }) => id === approvalId));
    const open = asking?.approvals.find(({ id }) => id === approvalId);
    if (asking && open && !this.#forecasts.has(approvalId)) this.foretell(asking.id, open);
    return this.#forecasts.get(approvalId) ?? null;
  }

  /** Tries out, as it were, what a dangerous command does. */
  foretell(sessionId: SessionId, approval: Approval): void {
    const { id: approvalId, action, assessment } = approval;
    if (!this.#host.settings.forecast || action.type !== "shell" || assessment.risk !== "dangerous") return;
    const tell = (forecast: Forecast) => {
      this.#forecasts.set(approvalId, forecast);
      this.#host.publish([{ type: "forecast", sessionId, approvalId, forecast }]);
    };
    tell({ type: "running" });
    void this.#pause(1_500).then(() => tell(forecastOf(approval)));
  }

  #add(allow: boolean, rule: GrantRule, lifetime: GrantLifetime, boundTo: string): void {
    const createdAt = this.#host.time();
    const days = this.#host.settings.grantDays ?? 90;
    const expiresAt = allow ? new Date(Date.parse(createdAt) + days * DAY_MS).toISOString() : null;
    const id = this.#host.newId("grant");
    this.#keep([
      ...this.grants,
      { id, allow, rule, lifetime, boundTo, createdAt, lastUsedAt: null, uses: 0, expiresAt },
    ]);
  }

  #keep(grants: Grant[]): void {
    this.grants = grants;
    this.#host.publish([{ type: "grants", grants }]);
  }

  #pause(millis: number): Promise<void> {
    return new Promise((done) => setTimeout(done, millis / this.#host.speed));
  }
}
