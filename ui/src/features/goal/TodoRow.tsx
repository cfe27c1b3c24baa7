/* One to-do: what it says, how it stands, who wrote it, and every way to change it, by mouse and by key. */
import {
  Ban,
  Check,
  Ellipsis,
  GitBranch,
  GripVertical,
  MoveDown,
  MoveUp,
  Pencil,
  RotateCcw,
} from "lucide-react";
import { type KeyboardEvent, useId, useState } from "react";
import { t } from "@/i18n";
import type { Todo, TodoAuthor } from "@/ipc/bindings";
import { leadToBranch } from "@/shared/branchPlace";
import { cx } from "@/shared/cx";
import { Menu, type MenuItem } from "@/shared/Menu";
import { isOpen, type TodoEdit } from "@/shared/todos";
import { PriorityMenu, shifted } from "./PriorityMenu";
import { TodoField } from "./TodoField";
import { TodoMark } from "./TodoMark";

type Props = {
  todo: Todo;
  place: number;
  count: number;
  /** Whose it is: one that the user wrote or changed is theirs. */
  author: TodoAuthor;
  /** The change of the user's is on its way to the engine. */
  onItsWay: boolean;
  working: boolean;
  /** Without it the list is only shown. */
  onEdit: ((edit: TodoEdit) => void) | undefined;
  /** The sub-goal that works on it, and how that stands. */
  branch: { number: number; words: string } | null;
  /** Has it worked by a sub-goal; without it that is not possible now. */
  onBranch: (() => void) | undefined;
};

export function TodoRow(props: Props) {
  const { todo, place, count, author, onItsWay, working, onEdit, branch, onBranch } = props;
  const [renaming, setRenaming] = useState(false);
  const { id, title, status, priority } = todo;
  const hint = useId();
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const edit = onEdit && !renaming ? editOf(event, todo, place, count) : null;
    if (edit === null) return;
    event.preventDefault();
    if (edit === "rename") setRenaming(true);
    else onEdit?.(edit);
  };
  const current = status === "in-progress";
  const finished = !isOpen(todo);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys belong to the buttons inside, wherever the focus is.
    <div
      onKeyDown={onKeyDown}
      aria-current={current ? "step" : undefined}
      className={cx(
        "group/todo relative flex items-start gap-2.5 rounded-md border py-1.5 pr-1.5 pl-7 transition-colors",
        current ? "border-agentic-line bg-agentic-tint" : "border-transparent hover:bg-panel",
      )}
    >
      {onEdit ? (
        <>
          <button
            type="button"
            data-grip
            aria-label={t("goal.todos.grip", { title })}
            aria-describedby={hint}
            aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown F2 Delete"
            className="absolute top-1.5 left-1 flex h-[22px] w-5 cursor-grab touch-none items-center justify-center rounded-xs text-line-strong transition-colors group-hover/todo:text-ink-3 hover:bg-sunken focus-visible:text-ink-3 active:cursor-grabbing"
          >
            <GripVertical aria-hidden className="size-3.5" />
          </button>
          <span id={hint} hidden>
            {t("goal.todos.gripHint", { place: place + 1, count })}
          </span>
        </>
      ) : null}
      <span className="mt-0.5">
        <TodoMark status={status} working={working} />
      </span>
      <div className="min-w-0 flex-1">
        {renaming && onEdit ? (
          <TodoField
            label={t("goal.todos.renameField")}
            initial={title}
            onDone={(next) => {
              setRenaming(false);
              if (next !== null && next !== title) onEdit({ type: "rename", id, title: next });
            }}
          />
        ) : (
          <p
            onDoubleClick={onEdit ? () => setRenaming(true) : undefined}
            className={cx(
              "wrap-anywhere text-ink",
              current && "font-semibold",
              finished && "text-ink-2",
              status === "cancelled" && "line-through decoration-ink-3",
            )}
          >
            {title}
          </p>
        )}
        <p className="flex flex-wrap gap-x-1 text-xs text-ink-3">
          <span aria-hidden className={current ? "font-medium text-agentic-ink" : undefined}>
            {t(`goal.todos.status.${status}`)}
          </span>
          <span>· {t(`goal.todos.by.${author}`)}</span>
          {onItsWay ? <span>· {t("goal.todos.sending")}</span> : null}
        </p>
        {branch ? (
          <button
            type="button"
            onClick={() => leadToBranch(branch.number)}
            className="-mx-1 flex items-start gap-1 rounded-xs px-1 text-left text-xs text-agentic-ink hover:underline"
          >
            <GitBranch aria-hidden className="mt-0.5 size-3 shrink-0" />
            {branch.words}
          </button>
        ) : null}
      </div>
      <span className="flex shrink-0 items-center gap-0.5">
        <PriorityMenu
          title={title}
          priority={priority}
          onChange={onEdit ? (next) => onEdit({ type: "priority", id, priority: next }) : undefined}
        />
        {onEdit ? (
          <Menu
            align="end"
            trigger={
              <button
                type="button"
                aria-label={t("goal.todos.more", { title })}
                className="grid size-6 place-items-center rounded-sm text-ink-3 opacity-0 group-focus-within/todo:opacity-100 group-hover/todo:opacity-100 hover:bg-sunken hover:text-ink data-[state=open]:opacity-100"
              >
                <Ellipsis aria-hidden className="size-3.5" />
              </button>
            }
            items={() => menuOf(todo, place, count, onEdit, () => setRenaming(true), onBranch)}
          />
        ) : null}
      </span>
    </div>
  );
}

/** What a key on a row does; null when nothing. */
function editOf(
  event: KeyboardEvent<HTMLElement>,
  { id, status, priority }: Todo,
  place: number,
  count: number,
): TodoEdit | "rename" | null {
  if (event.ctrlKey || event.metaKey || event.nativeEvent.isComposing) return null;
  if (event.altKey) {
    const to = event.key === "ArrowUp" ? place - 1 : event.key === "ArrowDown" ? place + 1 : -1;
    return to >= 0 && to < count ? { type: "move", id, to } : null;
  }
  switch (event.key) {
    case "F2":
      return "rename";
    case "Delete":
      return status === "cancelled" ? null : { type: "status", id, status: "cancelled" };
    case "+":
    case "-": {
      const next = shifted(priority, event.key === "+" ? -1 : 1);
      return next === priority ? null : { type: "priority", id, priority: next };
    }
    default:
      return null;
  }
}

function menuOf(
  todo: Todo,
  place: number,
  count: number,
  onEdit: (edit: TodoEdit) => void,
  onRename: () => void,
  onBranch: (() => void) | undefined,
): MenuItem[] {
  const { id, status } = todo;
  const becomes = (next: Todo["status"]) => () => onEdit({ type: "status", id, status: next });
  const items: MenuItem[] = [
    {
      id: "rename",
      label: t("goal.todos.rename"),
      icon: <Pencil aria-hidden />,
      aside: "F2",
      onSelect: onRename,
    },
    {
      id: "up",
      label: t("goal.todos.up"),
      icon: <MoveUp aria-hidden />,
      aside: "Alt ↑",
      disabled: place === 0,
      onSelect: () => onEdit({ type: "move", id, to: place - 1 }),
    },
    {
      id: "down",
      label: t("goal.todos.down"),
      icon: <MoveDown aria-hidden />,
      aside: "Alt ↓",
      disabled: place === count - 1,
      onSelect: () => onEdit({ type: "move", id, to: place + 1 }),
    },
    { type: "separator", id: "status" },
  ];
  if (isOpen(todo)) {
    items.push(
      {
        id: "branch",
        label: t("goal.todos.branch"),
        icon: <GitBranch aria-hidden />,
        disabled: onBranch === undefined,
        onSelect: () => onBranch?.(),
      },
      {
        id: "done",
        label: t("goal.todos.markDone"),
        icon: <Check aria-hidden />,
        onSelect: becomes("completed"),
      },
      {
        id: "cancel",
        label: t("goal.todos.cancel"),
        icon: <Ban aria-hidden />,
        aside: "Del",
        onSelect: becomes("cancelled"),
      },
    );
  } else {
    items.push({
      id: "reopen",
      label: t(status === "cancelled" ? "goal.todos.wantAgain" : "goal.todos.reopen"),
      icon: <RotateCcw aria-hidden />,
      onSelect: becomes("pending"),
    });
  }
  return items;
}
