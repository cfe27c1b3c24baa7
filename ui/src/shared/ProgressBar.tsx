/** How much of something is done or used. The number stands beside it; the bar alone says nothing. */
import { cx } from "./cx";

const TONES = {
  agentic: "bg-agentic",
  planner: "bg-planner",
  teacher: "bg-teacher",
  safe: "bg-safe",
  caution: "bg-caution",
  danger: "bg-danger",
};

type Props = {
  /** Its name for those who cannot see it. */
  label: string;
  value: number;
  max: number;
  tone?: keyof typeof TONES;
  className?: string;
};

export function ProgressBar({ label, value, max, tone = "agentic", className }: Props) {
  const share = max > 0 ? Math.min(1, Math.max(0, value / max)) : 0;
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={max}
      aria-valuenow={Math.min(value, max)}
      className={cx("h-1 overflow-hidden rounded-full bg-line", className)}
    >
      <div
        className={cx("h-full rounded-full transition-[width] duration-[220ms]", TONES[tone])}
        style={{ width: `${share * 100}%` }}
      />
    </div>
  );
}
