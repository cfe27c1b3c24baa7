import { describe, expect, it } from "vitest";
import type { Todo } from "@/ipc/bindings";
import { applyEdit, differenceInShort, differenceInWords, differences, freshId, todosDone } from "./todos";

const todo = (id: string, more: Partial<Todo> = {}): Todo => ({
  id,
  title: id.toUpperCase(),
  status: "pending",
  priority: "medium",
  ...more,
});
const list = [todo("a"), todo("b"), todo("c")];
const ids = (todos: Todo[]) => todos.map(({ id }) => id).join("");

describe("an edit", () => {
  it("does what is wanted, and nothing else", () => {
    expect(ids(applyEdit(list, { type: "add", todo: todo("d") }))).toBe("abcd");
    expect(ids(applyEdit(list, { type: "move", id: "c", to: 0 }))).toBe("cab");
    expect(applyEdit(list, { type: "rename", id: "b", title: "new" })[1]?.title).toBe("new");
    expect(applyEdit(list, { type: "status", id: "b", status: "cancelled" })[1]?.status).toBe("cancelled");
    expect(applyEdit(list, { type: "priority", id: "b", priority: "low" })[1]?.priority).toBe("low");
  });

  it("done twice is done once", () => {
    for (const edit of [
      { type: "add", todo: todo("d") },
      { type: "move", id: "c", to: 0 },
      { type: "status", id: "a", status: "completed" },
    ] as const) {
      const once = applyEdit(list, edit);
      expect(applyEdit(once, edit)).toEqual(once);
    }
  });

  it("of what is gone changes nothing", () => {
    expect(applyEdit(list, { type: "move", id: "z", to: 0 })).toEqual(list);
    expect(applyEdit(list, { type: "rename", id: "z", title: "new" })).toEqual(list);
  });
});

it("a new id is one that the list does not have", () => {
  expect(freshId([], "Check the logs")).toBe("check-1");
  expect(freshId([todo("check-1")], "Check again")).toBe("check-2");
  expect(freshId([], "……")).toBe("todo-1");
});

it("what was cancelled does not count", () => {
  expect(
    todosDone([todo("a", { status: "completed" }), todo("b", { status: "cancelled" }), todo("c")]),
  ).toEqual({
    done: 1,
    all: 2,
  });
});

describe("the difference", () => {
  const after = [todo("c"), todo("a", { status: "completed", priority: "high" }), todo("d")];

  it("is told line by line", () => {
    expect(differences(list, after).map(differenceInWords)).toEqual([
      "Done: “A” · “A” is now high",
      "Added “D”",
      "Removed “B”",
      "Put in another order",
    ]);
  });

  it("is told in short", () => {
    expect(differenceInShort(differences(list, after))).toBe("1 added, 1 done, 1 removed");
    expect(differenceInShort(differences(list, [...list].reverse()))).toBe("Put in another order");
    expect(differenceInShort(differences(list, list))).toBe("");
  });
});
