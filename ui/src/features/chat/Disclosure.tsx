/* A quiet line that opens: its words are the button, what it hides comes below. */
import { ChevronRight } from "lucide-react";
import { type ReactNode, useId, useState } from "react";
import { cx } from "@/shared/cx";

type Props = {
  icon: ReactNode;
  summary: ReactNode;
  /** At the right of the line, outside the button's words. */
  aside?: ReactNode;
  children: ReactNode;
};

export function Disclosure({ icon, summary, aside, children }: Props) {
  const [open, setOpen] = useState(false);
  const id = useId();
  return (
    <div className="min-w-0">
      <div className="flex items-center gap-2 text-sm text-ink-2">
        <button
          type="button"
          aria-expanded={open}
          aria-controls={open ? id : undefined}
          onClick={() => setOpen(!open)}
          className="-mx-1 inline-flex min-h-6 min-w-0 items-center gap-2 rounded-xs px-1 text-left transition-colors hover:text-ink [&>svg]:size-3.5 [&>svg]:shrink-0"
        >
          {icon}
          <span className="min-w-0 truncate">{summary}</span>
          <ChevronRight aria-hidden className={cx("transition-transform", open && "rotate-90")} />
        </button>
        {aside}
      </div>
      {open ? (
        <div id={id} className="mt-1.5 ml-[6px] border-l border-line pl-[15px]">
          {children}
        </div>
      ) : null}
    </div>
  );
}
