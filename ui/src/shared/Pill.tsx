/** A short word in a rounded frame. */
import type { ReactNode } from "react";
import { cx } from "./cx";

const TONES = {
  neutral: "border-line text-ink-2 bg-panel",
  agentic: "border-agentic-line text-agentic-ink bg-panel",
  planner: "border-transparent bg-planner-tint text-planner",
  teacher: "border-transparent bg-teacher-tint text-teacher",
  danger: "border-danger-line bg-danger-tint text-danger",
  caution: "border-transparent bg-caution-tint text-caution",
  safe: "border-transparent bg-safe-tint text-safe",
};

export type PillTone = keyof typeof TONES;

export function Pill({ tone = "neutral", children }: { tone?: PillTone; children: ReactNode }) {
  return (
    <span
      className={cx(
        "inline-flex h-[19px] shrink-0 items-center gap-1 rounded-sm border px-1.5 text-2xs font-semibold whitespace-nowrap",
        TONES[tone],
      )}
    >
      {children}
    </span>
  );
}
