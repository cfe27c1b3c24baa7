/* A to-do's status at a glance: a shape for each, never colour alone. The word stands beside it. */
import { Check, Minus } from "lucide-react";
import { t } from "@/i18n";
import type { TodoStatus } from "@/ipc/bindings";
import { cx } from "@/shared/cx";
import { Spinner } from "@/shared/Spinner";

type Props = {
  status: TodoStatus;
  /** The agent works now; else nothing turns. */
  working: boolean;
};

const LOOKS: Record<TodoStatus, string> = {
  pending: "border-line-strong",
  "in-progress": "border-agentic bg-agentic-tint text-agentic-ink",
  completed: "border-safe bg-safe text-panel",
  cancelled: "border-dashed border-line-strong text-ink-3",
};

export function TodoMark({ status, working }: Props) {
  return (
    <span
      className={cx(
        "grid size-[18px] shrink-0 place-items-center rounded-full border [&>svg]:size-3",
        LOOKS[status],
      )}
    >
      {status === "in-progress" && working ? <Spinner /> : null}
      {status === "in-progress" && !working ? (
        <span aria-hidden className="size-[7px] rounded-full bg-agentic" />
      ) : null}
      {status === "completed" ? <Check aria-hidden strokeWidth={2.5} /> : null}
      {status === "cancelled" ? <Minus aria-hidden strokeWidth={2.5} /> : null}
      <span className="sr-only">{t(`goal.todos.status.${status}`)}</span>
    </span>
  );
}
