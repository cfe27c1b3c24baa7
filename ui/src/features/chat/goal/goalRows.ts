/* What the conversation shows of a goal, in order: how it was set, each iteration with what it did and why, the user's words
   and changes, what was found wrong. Pure: from the state alone, so that a reopened session shows the same. */
import type {
  GoalAction,
  GoalNote,
  GoalState,
  Guidance,
  Reflection,
  SessionState,
  SubGoal,
  TodoChange,
} from "@/ipc/bindings";
import { differenceInShort, differences } from "@/shared/todos";

export type GoalPart =
  | { type: "set"; goal: GoalState }
  | { type: "omitted"; count: number }
  /** `said`: what the agent said of its work; null where that is no longer kept. */
  | { type: "iteration"; iteration: number; said: Reflection | null }
  | { type: "action"; action: GoalAction }
  /** Those that one iteration began; they are worked side by side. */
  | { type: "branches"; subGoals: SubGoal[] }
  | { type: "guidance"; guidance: Guidance }
  /** The user's own changes of the list; the agent's are its work, and stand in the list's history. */
  | { type: "todos"; change: TodoChange; words: string }
  | { type: "noted"; note: GoalNote };

export type GoalItem = { key: string; at: string; part: GoalPart };

export function goalItems({ goal }: SessionState): GoalItem[] {
  if (!goal) return [];
  const items: GoalItem[] = [
    { key: `goal ${goal.id}`, at: goal.startedAt, part: { type: "set", goal } },
    ...iterations(goal),
    ...branches(goal),
    ...goal.guidance.map(
      (guidance, at): GoalItem => ({
        key: `goal-guidance ${guidance.at} ${at}`,
        at: guidance.at,
        part: { type: "guidance", guidance },
      }),
    ),
    ...ownChanges(goal),
    ...goal.notes.map(
      (note): GoalItem => ({
        key: `goal-note ${note.at} ${note.what.type}`,
        at: note.at,
        part: { type: "noted", note },
      }),
    ),
  ];
  // The sort is stable: what happened in one moment stays in the order above.
  return items.sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
}

function iterations(goal: GoalState): GoalItem[] {
  const said = new Map(goal.reflections.map((one) => [one.iteration, one]));
  const shown = new Set<number>();
  const items: GoalItem[] = [];
  const header = (iteration: number, at: string) => {
    if (shown.has(iteration) || iteration === 0) return;
    shown.add(iteration);
    const part: GoalPart = { type: "iteration", iteration, said: said.get(iteration) ?? null };
    items.push({ key: `goal-iteration ${iteration}`, at, part });
  };
  const firstAction = goal.actions[0];
  if (goal.omittedActions > 0 && firstAction) {
    const part: GoalPart = { type: "omitted", count: goal.omittedActions };
    items.push({ key: "goal-omitted", at: firstAction.at, part });
  }
  for (const reflection of goal.reflections) {
    // One before the actions that are kept stands with those that are not.
    const gone = goal.omittedActions > 0 && firstAction && reflection.iteration < firstAction.iteration;
    if (!gone) header(reflection.iteration, reflection.at);
  }
  for (const action of goal.actions) {
    const began = said.get(action.iteration)?.at;
    header(action.iteration, began ?? action.at);
    items.push({ key: `goal-action ${action.id}`, at: action.at, part: { type: "action", action } });
  }
  return items;
}

function branches({ subGoals }: GoalState): GoalItem[] {
  const together = new Map<string, SubGoal[]>();
  for (const sub of subGoals) {
    const key = `${sub.task.iteration} ${sub.task.askedBy}`;
    together.set(key, [...(together.get(key) ?? []), sub]);
  }
  return [...together.values()].flatMap((group): GoalItem[] => {
    const [first] = group;
    if (!first) return [];
    const part: GoalPart = { type: "branches", subGoals: group };
    return [{ key: `goal-branches ${first.task.number}`, at: first.startedAt, part }];
  });
}

function ownChanges({ todoChanges }: GoalState): GoalItem[] {
  return todoChanges.flatMap((change, at): GoalItem[] => {
    const before = todoChanges[at - 1]?.todos ?? (change.number === 1 ? [] : null);
    if (change.author !== "user" || before === null) return [];
    const words = differenceInShort(differences(before, change.todos));
    if (words === "") return [];
    return [{ key: `goal-todos ${change.number}`, at: change.at, part: { type: "todos", change, words } }];
  });
}

/** What the user did last on the way. It brings the reader to the end, as words of their own do. */
export function lastOwnAct({ id, guidance, actions }: GoalState): string {
  const own = actions.findLast(
    ({ author, action, state }) =>
      author === "user" || (action.type === "user_input" && state.type === "ended"),
  );
  return [id, guidance.at(-1)?.at, own?.id].join(" ");
}

/** Since when nothing has been heard, while the model thinks. */
export function quietSince(goal: GoalState): string {
  const last = goal.actions.at(-1);
  const moments = [
    goal.startedAt,
    goal.reflections.at(-1)?.at,
    last?.state.type === "ended" ? last.state.result.endedAt : last?.at,
    goal.todoChanges.at(-1)?.at,
  ].filter((at) => typeof at === "string");
  return moments.reduce((latest, at) => (Date.parse(at) > Date.parse(latest) ? at : latest));
}
