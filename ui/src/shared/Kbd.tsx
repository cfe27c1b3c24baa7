/** A keyboard shortcut, as on the key. `Mod` becomes the machine's own modifier. */
import { cx } from "./cx";
import { modifierName } from "./hooks";

const GLYPHS: Record<string, string> = { Enter: "⏎", Escape: "Esc", ArrowLeft: "←", ArrowRight: "→" };

export function Kbd({ keys, className }: { keys: string; className?: string }) {
  const text = keys
    .split("+")
    .map((key) => (key === "Mod" ? modifierName() : (GLYPHS[key] ?? key)))
    .join(" ");
  return (
    <kbd
      aria-hidden
      className={cx(
        "inline-flex h-[17px] shrink-0 items-center rounded-xs border border-current/40 px-1 font-ui text-2xs font-medium whitespace-nowrap",
        className,
      )}
    >
      {text}
    </kbd>
  );
}
