/** A quiet line that opens to more. What it hides is made when it is first opened. */
import { ChevronRight } from "lucide-react";
import { type ReactNode, useState } from "react";
import { cx } from "./cx";

type Props = { summary: ReactNode; open?: boolean; className?: string; children: ReactNode };

export function Details({ summary, open = false, className, children }: Props) {
  const [shown, setShown] = useState(open);
  return (
    <details
      className={cx("group text-sm", className)}
      open={shown}
      onToggle={(event) => setShown(event.currentTarget.open)}
    >
      <summary className="flex w-fit max-w-full list-none items-center gap-1.5 rounded-xs text-ink-2 hover:text-ink [&::-webkit-details-marker]:hidden">
        <ChevronRight aria-hidden className="size-3 shrink-0 transition-[rotate] group-open:rotate-90" />
        <span className="min-w-0">{summary}</span>
      </summary>
      {shown ? <div className="mt-1.5 pl-[18px]">{children}</div> : null}
    </details>
  );
}
