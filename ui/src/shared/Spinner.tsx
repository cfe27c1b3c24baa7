/** Something runs. Still, with reduced motion. */
import { cx } from "./cx";

/** As many as the steps of a turn, so that each step ends where a spoke was. */
const SPOKES = 8;

export function Spinner({ className }: { className?: string }) {
  return (
    <svg
      aria-hidden
      viewBox="0 0 16 16"
      stroke="currentColor"
      strokeWidth="1.75"
      strokeLinecap="round"
      className={cx("size-3.5 animate-spin motion-reduce:animate-none", className)}
    >
      {Array.from({ length: SPOKES }, (_, spoke) => (
        <path
          // biome-ignore lint/suspicious/noArrayIndexKey: the spokes never change.
          key={spoke}
          d="M8 4.5V1.75"
          opacity={0.2 + (0.8 * spoke) / (SPOKES - 1)}
          transform={`rotate(${(spoke * 360) / SPOKES} 8 8)`}
        />
      ))}
    </svg>
  );
}
