/* A to-do list as the user edits it, and what differs between two of them. Pure. An edit is kept as what was wanted, not as
   the list that it made, so that it can be done again on a list that changed meanwhile. */
import { t } from "@/i18n";
import type { Priority, Todo, TodoStatus } from "@/ipc/bindings";

export type TodoEdit =
  | { type: "add"; todo: Todo }
  | { type: "rename"; id: string; title: string }
  /** `to`: its place in the new order, from 0. */
  | { type: "move"; id: string; to: number }
  | { type: "status"; id: string; status: TodoStatus }
  | { type: "priority"; id: string; priority: Priority };

/** An edit of a to-do that is no longer there changes nothing. */
export function applyEdit(todos: Todo[], edit: TodoEdit): Todo[] {
  switch (edit.type) {
    case "add":
      return todos.some(({ id }) => id === edit.todo.id) ? todos : [...todos, edit.todo];
    case "rename":
      return changed(todos, edit.id, { title: edit.title });
    case "status":
      return changed(todos, edit.id, { status: edit.status });
    case "priority":
      return changed(todos, edit.id, { priority: edit.priority });
    case "move": {
      const moved = todos.find(({ id }) => id === edit.id);
      return moved ? todos.filter((todo) => todo !== moved).toSpliced(edit.to, 0, moved) : todos;
    }
  }
}

function changed(todos: Todo[], id: string, change: Partial<Todo>): Todo[] {
  return todos.map((todo) => (todo.id === id ? { ...todo, ...change } : todo));
}

/** An id that the list does not have: a word of the title and a number, so that a model can speak of it. */
export function freshId(todos: Todo[], title: string): string {
  const word = /[a-z0-9]+/.exec(title.toLowerCase())?.[0] ?? "todo";
  const taken = new Set(todos.map(({ id }) => id));
  for (let number = 1; ; number += 1) {
    const id = `${word.slice(0, 20)}-${number}`;
    if (!taken.has(id)) return id;
  }
}

export function isOpen({ status }: Todo): boolean {
  return status === "pending" || status === "in-progress";
}

/** How many are done, of those that were not cancelled. */
export function todosDone(todos: Todo[]): { done: number; all: number } {
  const counted = todos.filter(({ status }) => status !== "cancelled");
  return { done: counted.filter(({ status }) => status === "completed").length, all: counted.length };
}

/** The one that is worked on now. */
export function currentTodo(todos: Todo[]): Todo | undefined {
  return todos.find(({ status }) => status === "in-progress");
}

export type TodoDifference =
  | { type: "added" | "removed"; todo: Todo }
  | { type: "changed"; todo: Todo; was: Todo }
  /** They only stand in another order. */
  | { type: "reordered" };

export function differences(before: Todo[], after: Todo[]): TodoDifference[] {
  const old = new Map(before.map((todo) => [todo.id, todo]));
  const kept = new Set(after.map(({ id }) => id));
  const found = after.flatMap((todo): TodoDifference[] => {
    const was = old.get(todo.id);
    if (!was) return [{ type: "added", todo }];
    const same = was.title === todo.title && was.status === todo.status && was.priority === todo.priority;
    return same ? [] : [{ type: "changed", todo, was }];
  });
  const removed = before.filter(({ id }) => !kept.has(id));
  const order = (todos: Todo[], others: Set<string>) =>
    todos.flatMap(({ id }) => (others.has(id) ? [id] : [])).join("\n");
  const moved = order(before, kept) !== order(after, new Set(old.keys()));
  return [
    ...found,
    ...removed.map((todo): TodoDifference => ({ type: "removed", todo })),
    ...(moved ? [{ type: "reordered" } as const] : []),
  ];
}

/** One line for each difference. */
export function differenceInWords(difference: TodoDifference): string {
  switch (difference.type) {
    case "added":
      return t("goal.todos.change.added", { title: difference.todo.title });
    case "removed":
      return t("goal.todos.change.removed", { title: difference.todo.title });
    case "reordered":
      return t("goal.todos.change.reordered");
    case "changed": {
      const { todo, was } = difference;
      const words = [];
      if (was.title !== todo.title) {
        words.push(t("goal.todos.change.renamed", { from: was.title, title: todo.title }));
      }
      if (was.status !== todo.status) {
        words.push(t(`goal.todos.change.status.${todo.status}`, { title: todo.title }));
      }
      if (was.priority !== todo.priority) {
        words.push(
          t("goal.todos.change.priority", {
            title: todo.title,
            priority: t(`goal.todos.priority.${todo.priority}`),
          }),
        );
      }
      return words.join(" · ");
    }
  }
}

/** "2 added, 1 done": the difference at a glance; empty when nothing is different. */
export function differenceInShort(found: TodoDifference[]): string {
  const count = (of: (one: TodoDifference) => boolean) => found.filter(of).length;
  const becomes = (status: TodoStatus) =>
    count((one) => one.type === "changed" && one.was.status !== status && one.todo.status === status);
  const counts = [
    ["added", count((one) => one.type === "added")],
    ["done", becomes("completed")],
    ["begun", becomes("in-progress")],
    ["cancelled", becomes("cancelled")],
    ["reopened", becomes("pending")],
    ["otherwise", count((one) => one.type === "changed" && one.was.status === one.todo.status)],
    ["removed", count((one) => one.type === "removed")],
  ] as const;
  const words = counts.flatMap(([name, number]) =>
    number > 0 ? [t(`goal.todos.short.${name}`, { count: number })] : [],
  );
  if (words.length === 0 && found.length > 0) return t("goal.todos.change.reordered");
  return words.join(", ");
}
