/* How the to-do list came to be what it is: each change with its iteration, its author, and the list as it was then. */
import { ChevronRight } from "lucide-react";
import { useId, useState } from "react";
import { t } from "@/i18n";
import type { GoalState, Todo, TodoChange } from "@/ipc/bindings";
import { cx } from "@/shared/cx";
import { Details } from "@/shared/Details";
import { formatClock } from "@/shared/format";
import { differenceInShort, differenceInWords, differences } from "@/shared/todos";
import { TodoMark } from "./TodoMark";

export function TodoHistory({ todoChanges, todoNumber }: GoalState) {
  if (todoChanges.length === 0) return null;
  const first = todoChanges[0];
  return (
    <Details
      className="px-5 pt-1 pb-4"
      summary={
        <span className="font-medium">
          {t("goal.todos.history")}{" "}
          <span className="font-normal text-ink-3 tabular-nums">
            {t("goal.todos.historyCount", { count: todoNumber })}
          </span>
        </span>
      }
    >
      <ol aria-label={t("goal.todos.history")} reversed className="-ml-[18px] grid gap-0.5">
        {todoChanges
          .map((change, at) => (
            <Change key={change.number} change={change} before={todoChanges[at - 1]?.todos ?? null} />
          ))
          .reverse()}
      </ol>
      {first && first.number > 1 ? (
        <p className="mt-1.5 text-xs text-ink-3">{t("goal.todos.historyEarlier")}</p>
      ) : null}
    </Details>
  );
}

/** `before`: null where it is not known any more. */
function Change({ change, before }: { change: TodoChange; before: Todo[] | null }) {
  const [open, setOpen] = useState(false);
  const id = useId();
  const { number, author, iteration, at, todos } = change;
  const known = before ?? (number === 1 ? [] : null);
  const found = known ? differences(known, todos) : [];
  return (
    <li className="min-w-0">
      <button
        type="button"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => setOpen(!open)}
        className="flex min-h-7 w-full items-center gap-2 rounded-sm px-1.5 text-left text-ink-2 transition-colors hover:bg-panel hover:text-ink"
      >
        <ChevronRight
          aria-hidden
          className={cx("size-3 shrink-0 transition-transform", open && "rotate-90")}
        />
        <span
          className={cx(
            "shrink-0 rounded-xs px-1 text-2xs font-semibold",
            author === "user" ? "bg-planner-tint text-planner" : "bg-agentic-tint text-agentic-ink",
          )}
        >
          {t(`goal.todos.by.${author}`)}
        </span>
        <span className="min-w-0 truncate">
          {known ? differenceInShort(found) : t("goal.todos.change.label", { number })}
        </span>
        <span className="ml-auto shrink-0 text-xs text-ink-3 tabular-nums">
          {iteration === 0 ? t("goal.todos.change.atStart") : t("goal.todos.change.in", { iteration })} ·{" "}
          <time dateTime={at}>{formatClock(at)}</time>
        </span>
      </button>
      {open ? (
        <div id={id} className="mb-2 ml-[26px] grid gap-2 border-l border-line pl-3 text-sm">
          <ul className="grid gap-0.5 text-ink-2">
            {found.map(differenceInWords).map((line) => (
              <li key={line} className="wrap-anywhere">
                {line}
              </li>
            ))}
          </ul>
          <ul aria-label={t("goal.todos.change.label", { number })} className="grid gap-1 text-ink-3">
            {todos.map((todo) => (
              <li key={todo.id} className="flex items-center gap-2">
                <TodoMark status={todo.status} working={false} />
                <span className="min-w-0 truncate">{todo.title}</span>
              </li>
            ))}
          </ul>
        </div>
      ) : null}
    </li>
  );
}
