/** A step's state at a glance: a shape for each state, never colour alone, and a word for those who cannot see it. */
import { Ban, Brain, Check, Hand, RotateCcw, SkipForward, TriangleAlert, X } from "lucide-react";
import type { ReactNode } from "react";
import { t } from "@/i18n";
import type { Mode, Step } from "@/ipc/bindings";
import { cx } from "@/shared/cx";
import { Spinner } from "@/shared/Spinner";
import { isManual, modeOf } from "@/shared/steps";

const MODE_RING = {
  teacher: "border-teacher text-teacher bg-teacher-tint",
  planner: "border-planner text-planner bg-planner-tint",
  agentic: "border-agentic text-agentic-ink bg-agentic-tint",
};

type Look = { className: string; content: ReactNode; word: string };

type Props = { step: Step; number: number | null; mode: Mode; thinking: boolean };

export function StepMark({ step, number, mode, thinking }: Props) {
  const look = lookOf(step, number, mode, thinking);
  return (
    <span
      className={cx(
        "flex size-[22px] shrink-0 items-center justify-center rounded-full border text-xs font-semibold tabular-nums [&>svg]:size-3.5",
        look.className,
      )}
    >
      {look.content}
      <span className="sr-only">{look.word}</span>
    </span>
  );
}

function lookOf(step: Step, number: number | null, mode: Mode, thinking: boolean): Look {
  const ring = step.origin.type === "repair" ? MODE_RING.agentic : MODE_RING[modeOf(mode)];
  switch (step.state.type) {
    case "pending":
      return {
        className: step.origin.type === "repair" ? MODE_RING.agentic : "border-line-strong text-ink-3",
        content: <span aria-hidden>{number ?? "+"}</span>,
        word: t("plan.state.pending"),
      };
    case "awaiting-run":
      return {
        className: ring,
        content: isManual(step) ? <Hand aria-hidden /> : <span aria-hidden>{number ?? "+"}</span>,
        word: t("plan.state.awaitingRun"),
      };
    case "awaiting-approval":
      return {
        className: "border-caution bg-caution-tint text-caution",
        content: <Hand aria-hidden />,
        word: t("plan.state.awaitingApproval"),
      };
    case "running":
      return { className: ring, content: <Spinner />, word: t("plan.state.running") };
    case "recovering":
      return thinking
        ? { className: MODE_RING.agentic, content: <Brain aria-hidden />, word: t("plan.state.recovering") }
        : {
            className: "border-caution text-caution",
            content: <RotateCcw aria-hidden />,
            word: t("plan.state.recovering"),
          };
    case "completed":
      return {
        className: "border-safe bg-safe text-panel",
        content: <Check aria-hidden strokeWidth={2.5} />,
        word: t("plan.state.completed"),
      };
    case "failed":
      return {
        className: "border-danger-fill bg-danger-fill text-on-fill",
        content: <X aria-hidden strokeWidth={2.5} />,
        word: t("plan.state.failed"),
      };
    case "skipped":
      return {
        className: "border-dashed border-line-strong text-ink-3",
        content: <SkipForward aria-hidden />,
        word: t("plan.state.skipped"),
      };
    case "cancelled":
      return {
        className: "border-line-strong text-ink-3",
        content: <Ban aria-hidden />,
        word: t("plan.state.cancelled"),
      };
    case "interrupted":
      return {
        className: "border-caution bg-caution-tint text-caution",
        content: <TriangleAlert aria-hidden />,
        word: t("plan.state.interrupted"),
      };
  }
}
