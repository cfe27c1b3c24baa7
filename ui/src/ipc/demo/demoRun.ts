/* Plays a run of the demonstration: starts, output, the failure, the thought, the repair, the question, the end. It answers
   commands as the engine would, as far as the window can see. */

import { commandOf } from "@/shared/steps";
import type { Checkpoint, Command, ExitStatus, Mode, SessionId, Step, StepResult } from "../bindings";
import type { FakeHost } from "../fakeHost";
import { revisedDraft, withValues } from "./draftEdits";
import {
  correction,
  DEMO_FOLDER,
  REVISION_REASON,
  repairApproval,
  repairedPlan,
  type Transcript,
  transcript,
} from "./photoServer";
import { placed } from "./placed";
import { revisionOf } from "./revisionOf";

const PLAIN: Transcript = { lines: ["done"], millis: 500 };

export class DemoRun {
  readonly #host: FakeHost;
  readonly #id: SessionId;
  readonly #timers = new Set<ReturnType<typeof setTimeout>>();
  /** Steps that were asked about and may run. */
  readonly #allowed = new Set<string>();

  constructor(host: FakeHost, id: SessionId) {
    this.#host = host;
    this.#id = id;
  }

  handle(command: Command): void {
    const { plan, approvals } = this.#host.session(this.#id);
    const record = this.#host.record.bind(this.#host, this.#id);
    switch (command.type) {
      case "confirm":
        if (plan)
          record({
            type: "plan-confirmed",
            planId: plan.id,
            revision: plan.revision,
            allowed: command.allowed,
          });
        return;
      case "reject":
        if (plan) record({ type: "plan-rejected", planId: plan.id });
        return;
      case "start":
        if (plan?.state.type === "draft") {
          record({ type: "plan-confirmed", planId: plan.id, revision: plan.revision, allowed: [] });
        }
        if (plan) this.#begin(plan.id, command.mode ?? plan.mode);
        return;
      case "run-step":
        this.#run(command.stepId);
        return;
      case "pause":
        this.stop();
        this.#endRunning();
        record({ type: "plan-paused", reason: { type: "user" } });
        return;
      case "resume":
        if (plan) record({ type: "plan-resumed", mode: command.mode ?? plan.mode });
        this.#next();
        return;
      case "cancel":
        this.stop();
        this.#endRunning();
        record({ type: "plan-cancelled", goneAt: this.#host.time() });
        return;
      case "skip":
        record({ type: "step-skipped", stepId: command.stepId, reason: "you skipped it" });
        this.#next();
        return;
      case "retry":
        record({ type: "step-reset", stepId: command.stepId });
        if (plan && plan.state.type !== "running") record({ type: "plan-resumed", mode: plan.mode });
        this.#next();
        return;
      case "edit":
        this.#edit(command.stepId, command.command, command.run);
        return;
      case "add-step":
      case "remove-step":
      case "move-step": {
        const event = plan ? revisedDraft(plan, command, this.#host.newId("step")) : null;
        if (event) record(event);
        return;
      }
      case "give-inputs": {
        const event = plan ? withValues(plan, command.values) : null;
        if (event) record(event);
        return;
      }
      case "set-mode":
        record({ type: "mode-changed", mode: command.mode });
        return;
      case "guide": {
        const state = plan?.state;
        if (state?.type === "stuck" || state?.type === "recovering") {
          record({ type: "guidance-given", stepId: state.stepId, text: command.text });
        }
        return;
      }
      case "raise-budget":
        record({ type: "budget-raised" });
        return;
      case "rename":
        record({ type: "session-renamed", title: command.title });
        return;
      case "answer": {
        const open = approvals.find((approval) => approval.id === command.approvalId);
        if (!open) return;
        const { answer } = command;
        const runs = answer.type === "allow-once" || answer.type === "allow-always";
        record({
          type: "approval-resolved",
          approvalId: open.id,
          stepId: open.stepId,
          answer,
          allowedBy: runs ? { type: "user" } : null,
        });
        if (runs) {
          this.#allowed.add(open.stepId);
          this.#next();
        } else if (plan) {
          record({ type: "plan-paused", reason: { type: "declined", stepId: open.stepId } });
        }
        return;
      }
    }
  }

  /** Ends everything that is still to come. */
  stop(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }

  #after(millis: number, then: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      then();
    }, millis / this.#host.speed);
    this.#timers.add(timer);
  }

  #begin(planId: string, mode: Mode): void {
    this.#host.record(this.#id, { type: "plan-started", planId, mode });
    this.#next();
  }

  #step(id: string): Step | undefined {
    return this.#host.session(this.#id).plan?.steps.find((step) => step.id === id);
  }

  #next(): void {
    const { plan } = this.#host.session(this.#id);
    if (!plan || (plan.state.type !== "running" && plan.state.type !== "recovering")) return;
    const step = plan.steps.find((one) => ["pending", "recovering"].includes(one.state.type));
    if (!step) {
      const count = (type: string) => plan.steps.filter((one) => one.state.type === type).length;
      const repairs = plan.steps.filter((one) => one.origin.type === "repair").length;
      const skipped = count("skipped");
      this.#host.record(this.#id, { type: "plan-completed", steps: plan.steps.length, repairs, skipped });
      return;
    }
    if (plan.mode === "teacher") {
      this.#host.record(this.#id, { type: "step-awaiting-run", stepId: step.id });
      return;
    }
    if (step.assessment?.risk === "dangerous" && !this.#allowed.has(step.id)) {
      const approval = repairApproval(this.#host.newId("approval"), this.#host.time(), plan.revision);
      this.#host.record(this.#id, { type: "approval-needed", approval: { ...approval, stepId: step.id } });
      return;
    }
    this.#run(step.id);
  }

  #run(stepId: string): void {
    const step = this.#step(stepId);
    if (!step) return;
    const { results } = this.#host.session(this.#id);
    const attempt = results.filter((result) => result.stepId === stepId).length;
    const play = transcript[stepId] ?? PLAIN;
    const fails = attempt === 0 ? play.failsFirst : undefined;
    const lines = fails ?? play.lines;
    const startedAt = this.#host.time();
    if (step.assessment?.risk !== "safe") {
      const checkpoint: Checkpoint = {
        id: this.#host.newId("checkpoint"),
        stepId,
        attempt,
        at: startedAt,
        covers: step.assessment?.effects.usesNetwork
          ? { type: "partly", why: "not kept: what it does over the network" }
          : { type: "whole" },
        entries: 40,
        keptKib: 200,
      };
      this.#host.record(this.#id, { type: "checkpoint-created", checkpoint });
    }
    this.#host.record(this.#id, {
      type: "step-started",
      stepId,
      attempt,
      command: commandOf(step),
      cwd: DEMO_FOLDER,
      revision: this.#host.session(this.#id).plan?.revision ?? 1,
      allowedBy: this.#allowed.has(stepId) ? { type: "user" } : { type: "mode" },
    });
    lines.forEach((line, at) => {
      const atMillis = (play.millis * (at + 1)) / (lines.length + 1);
      this.#after(atMillis, () => {
        const chunks = [
          {
            stream: "stdout" as const,
            text: `${line}\n`,
            atMillis: Math.round(atMillis),
            ...placed(lines, at),
          },
        ];
        this.#host.publish([{ type: "output", sessionId: this.#id, stepId, attempt, chunks }]);
      });
    });
    this.#after(play.millis, () => {
      const exitStatus: ExitStatus = { type: "code", code: fails ? 1 : 0 };
      const result = this.#result(step, attempt, lines, startedAt, exitStatus);
      if (fails) {
        this.#host.record(this.#id, { type: "step-failed", result, reason: "it ended with exit status 1" });
        this.#fail(stepId);
      } else {
        this.#host.record(this.#id, { type: "step-completed", result, shell: null });
        this.#next();
      }
    });
  }

  #result(
    step: Step,
    attempt: number,
    lines: string[],
    startedAt: string,
    exitStatus: ExitStatus,
  ): StepResult {
    const output = lines.map((line) => `${line}\n`).join("");
    return {
      stepId: step.id,
      attemptIndex: attempt,
      command: commandOf(step),
      cwd: DEMO_FOLDER,
      exitStatus,
      stdout: output,
      stderr: "",
      output,
      omittedLines: 0,
      startedAt,
      endedAt: this.#host.time(),
      filesChanged: (transcript[step.id]?.files ?? []).map((file) => `${DEMO_FOLDER}/${file}`),
      verify: null,
      leftovers: 0,
    };
  }

  #fail(stepId: string): void {
    const { plan } = this.#host.session(this.#id);
    if (!plan) return;
    if (plan.mode !== "agentic" || stepId !== "pip") {
      this.#host.record(this.#id, {
        type: "plan-failed",
        code: "step-failed",
        reason: `Step “${this.#step(stepId)?.title}” failed`,
      });
      return;
    }
    this.#host.record(this.#id, {
      type: "agent-thinking",
      stepId,
      asking: "field guide",
      about: "1 rule fits · checking the machine",
    });
    this.#after(1600, () => {
      this.#host.record(
        this.#id,
        { type: "correction-attempt", stepId, number: 1, correction },
        revisionOf(plan, repairedPlan(plan), {
          author: { type: "agent", source: correction.source },
          reason: REVISION_REASON,
          stepId,
        }),
      );
      this.#after(700, () => this.#next());
    });
  }

  #endRunning(): void {
    const running = this.#host.session(this.#id).plan?.steps.find((step) => step.state.type === "running");
    if (running?.state.type !== "running") return;
    const { attempt, startedAt } = running.state;
    const result = this.#result(running, attempt, [], startedAt, { type: "cancelled" });
    this.#host.record(
      this.#id,
      { type: "step-cancelled", stepId: running.id, result },
      { type: "step-reset", stepId: running.id },
    );
  }

  #edit(stepId: string, command: string, run: boolean): void {
    const { plan } = this.#host.session(this.#id);
    if (!plan) return;
    const revision = plan.revision + 1;
    const steps = plan.steps.map((step): Step => {
      if (step.id !== stepId) return step;
      const changed = {
        before: commandOf(step),
        revision,
        source: "you",
        reason: "You changed the command.",
      };
      return { ...step, action: { type: "shell", command }, changed };
    });
    const by = { author: { type: "user" as const }, reason: "You changed a command.", stepId };
    this.#host.record(this.#id, revisionOf(plan, { ...plan, revision, steps }, by));
    if (run) this.#run(stepId);
  }
}
