/* One thing that happened on the way to a goal. */
import { Flag, ListTodo, type LucideIcon, Play, RotateCcw, TriangleAlert, Undo2 } from "lucide-react";
import { memo, type ReactNode } from "react";
import { t } from "@/i18n";
import type { GoalNote, GoalState, Guidance, Reflection, SessionState } from "@/ipc/bindings";
import { CommandText } from "@/shared/CommandText";
import { cx } from "@/shared/cx";
import { formatClock } from "@/shared/format";
import { isActing, sentBackInWords } from "@/shared/goal";
import type { Kept } from "@/shared/undo";
import { Bubble } from "../UserRow";
import { ActionRow } from "./ActionRow";
import { BranchRow } from "./BranchRow";
import type { GoalPart } from "./goalRows";
import type { RenderExplained } from "./HandCard";

type Props = {
  part: GoalPart;
  session: SessionState;
  goal: GoalState;
  kept: Kept;
  /** Why nothing can be taken back now. */
  busy: string | null;
  renderExplained: RenderExplained | undefined;
};

export const GoalRow = memo(function GoalRow(props: Props) {
  const { part, goal } = props;
  switch (part.type) {
    case "set":
      return <SetRow goal={part.goal} />;
    case "omitted":
      return (
        <p className="text-center text-sm text-ink-3">{t("goal.talk.earlier", { count: part.count })}</p>
      );
    case "iteration":
      return <IterationRow iteration={part.iteration} said={part.said} />;
    case "action":
      return <ActionRow {...props} action={part.action} />;
    case "branches":
      return (
        <BranchRow
          subGoals={part.subGoals}
          sessionId={props.session.id}
          root={props.session.cwd}
          held={goal.phase.type !== "working"}
          acting={isActing(goal)}
        />
      );
    case "guidance":
      return <GuidanceRow guidance={part.guidance} />;
    case "todos":
      return (
        <Note icon={ListTodo} at={part.change.at}>
          {t("goal.talk.youChanged", { words: part.words })}
        </Note>
      );
    case "noted":
      return <NotedRow note={part.note} goal={goal} />;
  }
});

/** The goal in the user's words, what will show that it is reached, and what else was said. */
function SetRow({ goal }: { goal: GoalState }) {
  const { goal: words, verify, context } = goal.request;
  return (
    <Bubble>
      <p className="mb-1 flex items-center gap-1.5 text-xs font-semibold text-agentic-ink">
        <Flag aria-hidden className="size-3" />
        {t("goal.talk.goal")}
      </p>
      <p className="leading-relaxed wrap-break-word whitespace-pre-wrap">{words}</p>
      {context ? (
        <p className="mt-1.5 text-sm wrap-break-word whitespace-pre-wrap text-ink-2">{context}</p>
      ) : null}
      {verify ? (
        <p className="mt-2 border-t border-line-strong pt-2 text-sm text-ink-2">
          {verify.type === "command" ? (
            <>
              {t("goal.set.done")} <CommandText command={verify.command} className="text-ink" />
            </>
          ) : (
            t("goal.talk.doneWhenAsked", { question: verify.question })
          )}
        </p>
      ) : null}
    </Bubble>
  );
}

function IterationRow({ iteration, said }: { iteration: number; said: Reflection | null }) {
  return (
    <div className="grid gap-1">
      <h3 className="flex items-center gap-2 text-xs font-medium text-ink-3 tabular-nums after:h-px after:flex-1 after:bg-line">
        {t("goal.talk.iteration", { iteration })}
        {said ? <span className="text-agentic-ink">{t(`goal.status.${said.status}`)}</span> : null}
      </h3>
      {said ? <p className="leading-relaxed wrap-break-word whitespace-pre-wrap">{said.text}</p> : null}
    </div>
  );
}

function GuidanceRow({ guidance }: { guidance: Guidance }) {
  return (
    <div className="grid justify-items-end gap-1">
      <Bubble>
        <p className="mb-0.5 text-xs text-ink-3">{t("goal.guide.by")}</p>
        <p className="leading-relaxed wrap-break-word whitespace-pre-wrap">{guidance.text}</p>
      </Bubble>
      <p className="text-xs text-ink-3">
        {t(guidance.seen ? "goal.guide.seen" : "goal.guide.unseen")} ·{" "}
        <time dateTime={guidance.at} className="tabular-nums">
          {formatClock(guidance.at)}
        </time>
      </p>
    </div>
  );
}

function NotedRow({ note: { at, what }, goal }: { note: GoalNote; goal: GoalState }) {
  switch (what.type) {
    case "rejected": {
      const { attempt, allowed } = what;
      return (
        <Note icon={TriangleAlert} at={at}>
          {t(attempt > allowed ? "goal.talk.rejectedLast" : "goal.talk.rejected", {
            error: withStop(what.error),
            attempt,
            allowed,
          })}
        </Note>
      );
    }
    case "looped":
      return (
        <Note icon={RotateCcw} tone="text-caution" at={at}>
          {t(`goal.talk.loop.${what.kind}`)} {t(what.again ? "goal.talk.loopAgain" : "goal.talk.loopTold")}
        </Note>
      );
    case "sent-back":
      return (
        <Note icon={Undo2} tone="text-caution" at={at}>
          {t("goal.talk.sentBack", { why: sentBackInWords(what.reason, goal) })}
        </Note>
      );
    case "resumed":
      return (
        <Note icon={Play} at={at}>
          {what.allowed === goal.request.maxIterations
            ? t("goal.talk.resumed")
            : t("goal.talk.resumedMore", { allowed: what.allowed })}
        </Note>
      );
  }
}

function withStop(text: string): string {
  return text.endsWith(".") ? text : `${text}.`;
}

type NoteProps = { icon: LucideIcon; tone?: string; at: string; children: ReactNode };

function Note({ icon: Icon, tone = "text-ink-3", at, children }: NoteProps) {
  return (
    <p className="flex gap-2 text-sm text-ink-2">
      <Icon aria-hidden className={cx("mt-[3px] size-3.5 shrink-0", tone)} />
      <span className="min-w-0 flex-1 wrap-break-word">{children}</span>
      <time dateTime={at} className="shrink-0 text-xs text-ink-3 tabular-nums">
        {formatClock(at)}
      </time>
    </p>
  );
}
