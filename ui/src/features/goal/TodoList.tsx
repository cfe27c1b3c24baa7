/* The to-do list of a goal: live, and the user's to change at any time. */
import { ListTodo, Plus } from "lucide-react";
import { motion } from "motion/react";
import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from "react";
import { t } from "@/i18n";
import type { GoalState, SessionId } from "@/ipc/bindings";
import { AboutError } from "@/shared/AboutError";
import { Announcer } from "@/shared/Announcer";
import { Button } from "@/shared/Button";
import { cx } from "@/shared/cx";
import { hasEnded, isActing, isUnderWay } from "@/shared/goal";
import {
  applyEdit,
  differenceInShort,
  differenceInWords,
  differences,
  freshId,
  isOpen,
  type TodoEdit,
  todosDone,
} from "@/shared/todos";
import { useRowDrag } from "@/shared/useRowDrag";
import { useApp } from "@/state/store";
import { TodoRow } from "./TodoRow";
import { type Refused, useTodoEdits } from "./useTodoEdits";

type Props = {
  sessionId: SessionId;
  goal: GoalState;
  /** Counts up whenever the field for a new to-do should take the focus. */
  wantsField: number;
};

export function TodoList({ sessionId, goal, wantsField }: Props) {
  const { todos, waiting, refused, edit, again, leave } = useTodoEdits(sessionId, goal);
  const list = useRef<HTMLUListElement>(null);
  const editable = !hasEnded(goal);
  const move = (id: string, to: number) => change({ type: "move", id, to });
  const { drag, onPointerDown } = useRowDrag(list, todos, editable ? move : undefined);
  const own = new Set(goal.userTodos);
  const touched = new Set(waiting.map((one) => (one.type === "add" ? one.todo.id : one.id)));
  const { done, all } = todosDone(todos);
  const working = isUnderWay(goal) && goal.phase.type === "working";
  const refocus = useGripFocus(list, todos);
  const change = (wanted: TodoEdit) => {
    // A row that moves in the document loses the focus on the way.
    if (wanted.type === "move") refocus(wanted.id);
    edit(wanted);
  };
  const command = useApp((store) => store.command);
  const branch = (todoId: string) => void command({ type: "start-sub-goal", todoId });
  return (
    <section aria-labelledby="goal-todos" className="grid gap-2 px-3.5 pt-4 pb-2">
      <header className="flex items-baseline gap-2 px-1.5">
        <h3 id="goal-todos" className="text-md font-semibold text-ink">
          {t("goal.panel.todos")}
        </h3>
        {all > 0 ? (
          <span className="text-sm text-ink-2 tabular-nums">
            {t("goal.todos.done", { done, count: all })}
          </span>
        ) : null}
      </header>
      {refused ? <NotTaken refused={refused} goal={goal} onAgain={again} onLeave={leave} /> : null}
      {todos.length === 0 ? (
        <div className="mx-1.5 flex gap-3 rounded-md border border-dashed border-line-strong p-3.5 text-sm">
          <ListTodo aria-hidden className="mt-0.5 size-4 shrink-0 text-ink-3" />
          <div>
            <p className="font-semibold text-ink">{t("goal.todos.empty")}</p>
            <p className="text-ink-2">{t("goal.todos.emptyText")}</p>
          </div>
        </div>
      ) : (
        <ul
          ref={list}
          aria-labelledby="goal-todos"
          onKeyDown={(event) => walk(event, list.current)}
          className={cx("grid gap-0.5", drag && "cursor-grabbing select-none")}
        >
          {todos.map((todo, place) => (
            <motion.li
              key={todo.id}
              layout="position"
              transition={{ duration: MOVE_SECONDS, ease: [0.2, 0.8, 0.2, 1] }}
              data-index={place}
              data-todo={todo.id}
              onPointerDown={(event) => onPointerDown(event, todo.id)}
              className={cx("relative", drag?.id === todo.id && "opacity-40")}
            >
              {drag?.gap === place ? <DropLine className="-top-[2px]" /> : null}
              <TodoRow
                todo={todo}
                place={place}
                count={todos.length}
                author={touched.has(todo.id) || own.has(todo.id) ? "user" : "agent"}
                onItsWay={touched.has(todo.id)}
                working={working}
                onEdit={editable ? change : undefined}
                branch={branchOf(goal, todo.id)}
                onBranch={canBranch(goal, todo.id) ? () => branch(todo.id) : undefined}
              />
              {drag?.gap === todos.length && place === todos.length - 1 ? (
                <DropLine className="-bottom-[2px]" />
              ) : null}
            </motion.li>
          ))}
        </ul>
      )}
      {editable ? (
        <AddField
          wantsFocus={wantsField}
          onAdd={(title) =>
            edit({
              type: "add",
              todo: { id: freshId(todos, title), title, status: "pending", priority: "medium" },
            })
          }
        />
      ) : null}
      <Announcer message={lastChangeInWords(goal)} />
    </section>
  );
}

const SIDE_BY_SIDE = 3;

/** The engine knows of the to-do, nothing works on it yet, and there is a place. */
function canBranch(goal: GoalState, id: string): boolean {
  const open = goal.subGoals.filter((sub) => sub.end === null);
  const known = goal.todos.some((todo) => todo.id === id && isOpen(todo));
  return known && open.length < SIDE_BY_SIDE && open.every((sub) => sub.task.todoId !== id);
}

/** What works on the to-do. */
function branchOf(goal: GoalState, id: string): { number: number; words: string } | null {
  const sub = goal.subGoals.find((one) => one.end === null && one.task.todoId === id);
  if (!sub) return null;
  const { number } = sub.task;
  if (goal.phase.type !== "working") return { number, words: t("goal.todos.workedHeld", { number }) };
  return { number, words: t(isActing(goal) ? "goal.todos.workedNext" : "goal.todos.worked", { number }) };
}

const MOVE_SECONDS = 0.22;

/** What the agent made of the list is read out; what the user does to it they know. */
function lastChangeInWords({ todoChanges }: GoalState): string {
  const last = todoChanges.at(-1);
  if (!last || last.author === "user") return "";
  const words = differenceInShort(differences(todoChanges.at(-2)?.todos ?? [], last.todos));
  return words === "" ? "" : t("goal.todos.said", { words });
}

/** The arrow keys go from one row's handle to the next. */
function walk(event: KeyboardEvent, list: HTMLElement | null): void {
  if (event.altKey || event.defaultPrevented || !list) return;
  if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
  const grips = [...list.querySelectorAll<HTMLElement>("[data-grip]")];
  const at = grips.indexOf(event.target as HTMLElement);
  const next = grips[at + (event.key === "ArrowUp" ? -1 : 1)];
  if (at < 0 || !next) return;
  event.preventDefault();
  next.focus();
}

function useGripFocus(list: React.RefObject<HTMLElement | null>, todos: unknown): (id: string) => void {
  const wanted = useRef<string | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another order of the list is what may have taken the focus.
  useEffect(() => {
    const id = wanted.current;
    wanted.current = null;
    if (id === null) return;
    list.current?.querySelector<HTMLElement>(`[data-todo="${CSS.escape(id)}"] [data-grip]`)?.focus();
  }, [todos]);
  return (id) => {
    wanted.current = id;
  };
}

function DropLine({ className }: { className: string }) {
  return (
    <span
      aria-hidden
      data-drop-line
      className={cx("pointer-events-none absolute inset-x-1 z-10 h-0.5 rounded-full bg-focus", className)}
    />
  );
}

type NotTakenProps = { refused: Refused; goal: GoalState; onAgain: () => void; onLeave: () => void };

/** Why an edit did not count, what it was, and the way to do it again. */
function NotTaken({ refused, goal, onAgain, onLeave }: NotTakenProps) {
  const wanted = refused.edits.reduce(applyEdit, goal.todos);
  const lines = differences(goal.todos, wanted).map(differenceInWords);
  return (
    <div className="mx-1.5 grid gap-2 rounded-md border border-line bg-caution-tint p-3 text-sm text-ink">
      <div role="alert">
        <p>
          <b className="font-semibold">{t("goal.todos.refused")}.</b>{" "}
          {refused.error.code === "stale" ? (
            t("goal.todos.stale")
          ) : (
            <>
              {refused.error.message} <AboutError code={refused.error.code} />
            </>
          )}
        </p>
        {lines.length > 0 ? (
          <ul className="list-disc pl-4 text-ink-2">
            {lines.map((line) => (
              <li key={line} className="wrap-anywhere">
                {line}
              </li>
            ))}
          </ul>
        ) : null}
      </div>
      <div className="flex gap-2">
        {lines.length > 0 ? (
          <Button size="sm" onClick={onAgain}>
            {t("goal.todos.again")}
          </Button>
        ) : null}
        <Button size="sm" variant="ghost" onClick={onLeave}>
          {t("goal.todos.leave")}
        </Button>
      </div>
    </div>
  );
}

function AddField({ wantsFocus, onAdd }: { wantsFocus: number; onAdd: (title: string) => void }) {
  const [title, setTitle] = useState("");
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (wantsFocus > 0) field.current?.focus();
  }, [wantsFocus]);
  const add = (event: FormEvent) => {
    event.preventDefault();
    const words = title.trim();
    if (words === "") return;
    setTitle("");
    onAdd(words);
  };
  return (
    <form
      onSubmit={add}
      className="flex items-center gap-2.5 rounded-md border border-transparent py-1 pr-1.5 pl-7 focus-within:bg-panel"
    >
      <Plus aria-hidden className="size-[18px] shrink-0 p-0.5 text-ink-3" />
      <input
        ref={field}
        type="text"
        value={title}
        maxLength={MAX_TITLE}
        onChange={(event) => setTitle(event.target.value)}
        aria-label={t("goal.todos.add")}
        placeholder={t("goal.todos.add")}
        title={t("goal.todos.addHint")}
        className="h-7 min-w-0 flex-1 rounded-sm bg-transparent px-1 text-md text-ink placeholder:text-ink-3"
      />
    </form>
  );
}

/** As the engine takes them. */
const MAX_TITLE = 200;
