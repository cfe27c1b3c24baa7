/** What to do where there is nothing yet. */
import type { ReactNode } from "react";

type Props = { icon?: ReactNode; title: string; children?: ReactNode; action?: ReactNode };

export function EmptyState({ icon, title, children, action }: Props) {
  return (
    <div className="grid h-full place-content-center justify-items-center gap-2 p-8 text-center">
      {icon ? (
        <span aria-hidden className="mb-1 text-ink-3 [&>svg]:size-6">
          {icon}
        </span>
      ) : null}
      <p className="text-md font-semibold text-ink">{title}</p>
      {children ? <div className="max-w-80 text-sm text-ink-2">{children}</div> : null}
      {action ? <div className="mt-2">{action}</div> : null}
    </div>
  );
}
