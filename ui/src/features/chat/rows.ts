/* What the conversation shows, row by row, in order: the entries of the state, between them what happened to the plan, and
   at the end the answer that comes. Pure. A row's key stays while it is shown, so that nothing is drawn anew. */
import type { ChatEntry, MessageId, PlanId, SessionState, StepId } from "@/ipc/bindings";
import { isGoalAction } from "@/shared/goal";
import type { LogEntry } from "@/state/log";
import { type CallEntry, looksOnly } from "./callFacts";
import { type GoalPart, goalItems } from "./goal/goalRows";
import { type Item, timeline } from "./timeline";

type Entry<T extends ChatEntry["type"]> = Extract<ChatEntry, { type: T }>;

export type AnswerEntry = Entry<"answer">;
export type NoteEntry = Entry<"retrying" | "self-correcting" | "summarized" | "cap-near">;
export type EndedEntry = Entry<"ended">;

export type Row =
  | { type: "user"; key: string; entry: Entry<"user"> }
  /** `entry` is null while the answer comes. `closing`: it calls no tool, so it ends its turn. */
  | {
      type: "answer";
      key: string;
      messageId: MessageId;
      round: number;
      entry: AnswerEntry | null;
      closing: boolean;
    }
  | { type: "call"; key: string; entry: CallEntry }
  | { type: "looks"; key: string; calls: CallEntry[] }
  | { type: "plan"; key: string; planId: PlanId }
  | { type: "ended"; key: string; entry: EndedEntry }
  | { type: "note"; key: string; entry: NoteEntry }
  | { type: "item"; key: string; item: Item }
  | { type: "goal"; key: string; part: GoalPart }
  /** How the plan's run ended. */
  | { type: "ending"; key: string };

/** Whether anything was said in this session. */
export function hasConversation(session: SessionState): boolean {
  return (session.conversation?.entries?.length ?? 0) > 0 || Boolean(session.conversation?.turn);
}

/** Plans that the conversation itself shows where they were made. */
function plansIn(entries: ChatEntry[]): Set<PlanId> {
  const ids = entries.flatMap((entry) => {
    if (entry.type === "plan") return [entry.planId];
    return entry.type === "ended" && entry.end.type === "plan-proposed" ? [entry.end.planId] : [];
  });
  return new Set(ids);
}

/** Whether the plan came from outside the conversation, so that its beginning has to be told. */
export function planFromOutside(session: SessionState): boolean {
  const { plan, conversation } = session;
  if (!plan) return false;
  return plan.origin.type !== "model" && !plansIn(conversation?.entries ?? []).has(plan.id);
}

export function rowsOf(session: SessionState, log: LogEntry[]): Row[] {
  const { entries = [], omitted = 0, turn } = session.conversation ?? {};
  const rows = merged(talkRows(entries, omitted), planRows(session, log));
  if (turn) {
    const round = turn.round + 1;
    const { messageId } = turn;
    rows.push({
      type: "answer",
      key: answerKey(messageId, round),
      messageId,
      round,
      entry: null,
      closing: false,
    });
  }
  return rows;
}

type Timed = { at: string; row: Row };

function answerKey(messageId: MessageId, round: number): string {
  return `answer ${messageId} ${round}`;
}

function talkRows(entries: ChatEntry[], omitted: number): Timed[] {
  const timed: Timed[] = [];
  const shown = new Set<PlanId>();
  entries.forEach((entry, index) => {
    const row = rowFor(entry, omitted + index, shown);
    if (!row) return;
    const last = timed.at(-1);
    if (row.type === "looks" && last?.row.type === "looks") {
      timed[timed.length - 1] = {
        at: last.at,
        row: { ...last.row, calls: [...last.row.calls, ...row.calls] },
      };
    } else if (isRetry(row) && last && isRetry(last.row)) {
      timed[timed.length - 1] = { at: entry.at, row };
    } else {
      timed.push({ at: entry.at, row });
    }
  });
  return timed;
}

function rowFor(entry: ChatEntry, number: number, shown: Set<PlanId>): Row | null {
  switch (entry.type) {
    case "user":
      return { type: "user", key: `user ${entry.messageId}`, entry };
    case "answer": {
      const { messageId, round, parts } = entry;
      if (parts.every((part) => part.type === "call")) return null;
      const closing = !parts.some((part) => part.type === "call");
      return { type: "answer", key: answerKey(messageId, round), messageId, round, entry, closing };
    }
    case "call":
      // A question about one is not to be overlooked in a line with others.
      return looksOnly(entry.tool) && entry.state.type !== "awaiting-approval"
        ? { type: "looks", key: `looks ${entry.callId}`, calls: [entry] }
        : { type: "call", key: `call ${entry.callId}`, entry };
    case "plan":
      shown.add(entry.planId);
      return { type: "plan", key: `plan ${entry.planId}`, planId: entry.planId };
    case "ended":
      return endedRow(entry, shown);
    case "retrying":
    case "self-correcting":
    case "summarized":
    case "cap-near":
      return { type: "note", key: `note ${number}`, entry };
  }
}

function endedRow(entry: EndedEntry, shown: Set<PlanId>): Row | null {
  const { end, synthesis, messageId } = entry;
  if (end.type === "plan-proposed" && !shown.has(end.planId)) {
    return { type: "plan", key: `plan ${end.planId}`, planId: end.planId };
  }
  const says = end.type !== "done" && end.type !== "asked" && end.type !== "plan-proposed";
  return says || synthesis ? { type: "ended", key: `ended ${messageId}`, entry } : null;
}

function isRetry(row: Row): boolean {
  return row.type === "note" && row.entry.type === "retrying";
}

function planRows(session: SessionState, log: LogEntry[]): Timed[] {
  const calls = new Set(
    (session.conversation?.entries ?? []).flatMap((entry) => (entry.type === "call" ? [entry.callId] : [])),
  );
  // What was answered about a call stands on its card.
  const onCard = (id: StepId) => calls.has(id) || isGoalAction(session, id);
  const kept = log.filter((entry) => !(entry.type === "answered" && onCard(entry.stepId)));
  const items = timeline(session, kept).map(
    (item): Timed => ({ at: item.at, row: { type: "item", key: item.key, item } }),
  );
  const endedAt = runEndedAt(session, log);
  if (endedAt !== null) items.push({ at: endedAt, row: { type: "ending", key: "ending" } });
  const goal = goalItems(session).map(
    ({ key, at, part }): Timed => ({ at, row: { type: "goal", key, part } }),
  );
  return goal.length === 0 ? items : [...items, ...goal].sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
}

/** When the plan's run ended; null while it has not, and the end then stands below everything. */
function runEndedAt({ plan, results }: SessionState, log: LogEntry[]): string | null {
  const state = plan?.state.type;
  if (state !== "completed" && state !== "failed" && state !== "cancelled") return null;
  return log.findLast((entry) => entry.type === "ended")?.at ?? results.at(-1)?.endedAt ?? null;
}

/** Whether the end of the run is among the rows. */
export function endsAmong(rows: Row[]): boolean {
  return rows.some((row) => row.type === "ending");
}

/** Two lists that are in order, as one. The first keeps its order whatever its times say. */
function merged(first: Timed[], second: Timed[]): Row[] {
  const rest = [...second];
  const rows: Row[] = [];
  for (const { at, row } of first) {
    while (rest[0] && Date.parse(rest[0].at) < Date.parse(at)) {
      const earlier = rest.shift();
      if (earlier) rows.push(earlier.row);
    }
    rows.push(row);
  }
  return [...rows, ...rest.map(({ row }) => row)];
}

/** Whether two rows belong close together: one tool call after another. */
export function closeTogether(before: Row | undefined, row: Row): boolean {
  const call = (one: Row | undefined) => one?.type === "call" || one?.type === "looks";
  if (row.type === "goal" && row.part.type === "action") return before?.type === "goal";
  return call(before) && call(row);
}
