/* Sub-goals that were begun together: each a branch of its own beside the others, with what it is to find, how far it is, what
   it looked at, what it cost and what came of it. */
import { GitBranch } from "lucide-react";
import { useId, useState } from "react";
import { t } from "@/i18n";
import type { GoalAction, SessionId, SubGoal, SubGoalEnd, Todo } from "@/ipc/bindings";
import { branchId } from "@/shared/branchPlace";
import { cx } from "@/shared/cx";
import { Details } from "@/shared/Details";
import { formatElapsed, formatMoney, formatTokens } from "@/shared/format";
import { useNow } from "@/shared/hooks";
import { Pill, type PillTone } from "@/shared/Pill";
import { Spinner } from "@/shared/Spinner";
import { CallCard } from "../CallCard";
import { Retrying } from "../NoteRow";
import { callOf } from "./actionCall";

type Props = {
  subGoals: SubGoal[];
  sessionId: SessionId;
  root: string;
  /** The goal is not being worked on. */
  held: boolean;
  /** An action of the goal's own is not over, and they wait for its end. */
  acting: boolean;
};

export function BranchRow({ subGoals, ...rest }: Props) {
  return (
    <div className="@container ml-3 border-l-2 border-agentic-line pl-4">
      <ul
        aria-label={t("goal.branch.list")}
        className={cx("grid min-w-0 items-start gap-3", subGoals.length > 1 && "@xl:grid-cols-2")}
      >
        {subGoals.map((sub) => (
          <li key={sub.task.number} className="min-w-0">
            <Branch sub={sub} {...rest} />
          </li>
        ))}
      </ul>
    </div>
  );
}

type BranchProps = Omit<Props, "subGoals"> & { sub: SubGoal };

function Branch({ sub, sessionId, root, held, acting }: BranchProps) {
  const heading = useId();
  const { task, end, synthesis, todos, actions, assessment, usage, startedAt, endedAt } = sub;
  // Whoever watched it keeps what they were looking at when it ends.
  const [seenLive] = useState(end === null);
  const waits = held || acting;
  const running = end === null && !waits;
  // Before its first signal there is nothing to tell, but that it was asked.
  const begun = sub.iteration > 0;
  const now = useNow(running);
  const { inputTokens = 0, outputTokens = 0, costMicros = 0, calls = 0, unpricedCalls = 0 } = usage;
  const { word, tone } = standingOf(end, waits);
  const figures = [
    ...(begun
      ? [t("goal.branch.iterations", { iteration: sub.iteration, allowed: task.maxIterations })]
      : []),
    t("goal.branch.tokens", { tokens: formatTokens(inputTokens + outputTokens) }),
    ...(calls > unpricedCalls ? [formatMoney(costMicros)] : []),
    formatElapsed((endedAt === null ? now : Date.parse(endedAt)) - Date.parse(startedAt)),
  ];
  return (
    <section
      id={branchId(task.number)}
      tabIndex={-1}
      aria-labelledby={heading}
      data-branch={task.number}
      className="grid min-w-0 gap-2 rounded-md border border-line bg-panel p-3"
    >
      <header className="grid gap-1">
        <div className="flex items-start gap-2">
          <GitBranch aria-hidden className="mt-1 size-3.5 shrink-0 text-agentic-ink" />
          <h4 id={heading} className="min-w-0 flex-1 font-semibold wrap-anywhere">
            {t("goal.branch.title", { number: task.number, goal: task.goal })}
          </h4>
          <span role="status" className="flex shrink-0 items-center gap-1.5">
            {running ? <Spinner className="size-3 text-agentic-ink" /> : null}
            <Pill tone={tone}>{word}</Pill>
          </span>
        </div>
        <p className="text-xs text-ink-3 tabular-nums">
          {task.askedBy === "user" ? `${t("goal.branch.byYou")} · ` : ""}
          {figures.join(" · ")}
        </p>
      </header>
      {todos.length > 0 ? <OwnTodos todos={todos} /> : null}
      {end === null && (begun || running) ? (
        <p className="text-sm wrap-anywhere text-ink-2">
          {begun ? assessment : t("goal.branch.thinkingFirst")}
        </p>
      ) : null}
      {end === null && !begun && acting && !held ? (
        <p className="text-sm text-ink-2">{t("goal.branch.next")}</p>
      ) : null}
      {sub.retrying && !held ? <Retrying entry={sub.retrying} latest={running} /> : null}
      {end?.type === "stuck" ? <p className="text-sm wrap-anywhere text-ink-2">{end.words}</p> : null}
      {end?.type === "model-failed" ? (
        <p className="text-sm wrap-anywhere text-ink-2">{end.message}</p>
      ) : null}
      {synthesis !== null && !(end?.type === "stuck" && synthesis === end.words) ? (
        <p className="leading-relaxed wrap-anywhere whitespace-pre-wrap">{synthesis}</p>
      ) : null}
      {actions.length > 0 ? (
        <Details open={seenLive && actions.length <= SHORT} summary={lookedAt(actions)}>
          <div className="grid min-w-0 gap-2">
            {actions.map((action) => (
              <CallCard
                key={action.id}
                sessionId={sessionId}
                root={root}
                call={callOf(action)}
                approval={undefined}
                checkpoint={undefined}
                undone={undefined}
                busy={null}
                mark={null}
              />
            ))}
          </div>
        </Details>
      ) : null}
    </section>
  );
}

/** A list of so many stands open for whoever watches; a longer one would push away what the neighbours say. */
const SHORT = 3;

/** How many things it looked at, and how many it was not let. */
function lookedAt(actions: GoalAction[]): string {
  const refused = actions.filter(
    ({ state }) => state.type === "ended" && state.result.outcome === "declined",
  ).length;
  const looked = actions.length - refused;
  return [
    ...(looked > 0 ? [t("goal.branch.actions", { count: looked })] : []),
    ...(refused > 0 ? [t("goal.branch.refused", { count: refused })] : []),
  ].join(", ");
}

function OwnTodos({ todos }: { todos: Todo[] }) {
  const done = todos.filter((todo) => todo.status === "completed").length;
  return (
    <Details summary={t("goal.branch.todos", { done, count: todos.length })}>
      <ul className="grid gap-0.5">
        {todos.map((todo) => (
          <li key={todo.id} className="flex gap-2 text-ink-2">
            <span className="min-w-0 flex-1 wrap-anywhere">{todo.title}</span>
            <span className="shrink-0 text-xs text-ink-3">{t(`goal.todos.status.${todo.status}`)}</span>
          </li>
        ))}
      </ul>
    </Details>
  );
}

function standingOf(end: SubGoalEnd | null, waits: boolean): { word: string; tone: PillTone } {
  switch (end?.type) {
    case undefined:
      return waits
        ? { word: t("goal.branch.held"), tone: "caution" }
        : { word: t("goal.branch.looking"), tone: "agentic" };
    case "complete":
      return { word: t("goal.branch.complete"), tone: "safe" };
    case "stuck":
      return { word: t("goal.branch.stuck"), tone: "danger" };
    case "out-of-budget":
      return { word: t("goal.branch.outOfBudget"), tone: "caution" };
    case "model-failed":
      return { word: t("goal.branch.modelFailed"), tone: "danger" };
    case "cancelled":
      return { word: t("goal.branch.cancelled"), tone: "neutral" };
  }
}
