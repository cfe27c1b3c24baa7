/** A quiet line that opens to more. It is as `open` says until somebody opens or folds it. */
import { ChevronRight } from "lucide-react";
import { type ReactNode, useState } from "react";
import { cx } from "./cx";

type Props = { summary: ReactNode; open?: boolean; className?: string; children: ReactNode };

export function Details({ summary, open = false, className, children }: Props) {
  const [chosen, setChosen] = useState<boolean | null>(null);
  const shown = chosen ?? open;
  return (
    <details
      className={cx("group text-sm", className)}
      open={shown}
      onToggle={({ currentTarget }) => {
        // It is told of its own changes, too.
        if (currentTarget.open !== shown) setChosen(currentTarget.open);
      }}
    >
      <summary className="flex w-fit max-w-full list-none items-center gap-1.5 rounded-xs text-ink-2 hover:text-ink [&::-webkit-details-marker]:hidden">
        <ChevronRight aria-hidden className="size-3 shrink-0 transition-[rotate] group-open:rotate-90" />
        <span className="min-w-0">{summary}</span>
      </summary>
      {shown ? <div className="mt-1.5 pl-[18px]">{children}</div> : null}
    </details>
  );
}
