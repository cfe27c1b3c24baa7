/* An action of a goal: why it is wanted, its card, and the way to take it into one's own hands. */
import { Hand, MessageCircleQuestion } from "lucide-react";
import { useMemo } from "react";
import { t } from "@/i18n";
import type { GoalAction, SessionState } from "@/ipc/bindings";
import { Button } from "@/shared/Button";
import { CommandText } from "@/shared/CommandText";
import { toTakeOver } from "@/shared/goal";
import { Pill } from "@/shared/Pill";
import type { Kept } from "@/shared/undo";
import { useApp } from "@/state/store";
import { CallCard } from "../CallCard";
import { Bubble } from "../UserRow";
import { callOf } from "./actionCall";
import { HandCard, type RenderExplained } from "./HandCard";

type Props = {
  action: GoalAction;
  session: SessionState;
  kept: Kept;
  busy: string | null;
  renderExplained: RenderExplained | undefined;
};

export function ActionRow({ action, session, kept, busy, renderExplained }: Props) {
  const command = useApp((store) => store.command);
  const approval = session.approvals.find((open) => open.stepId === action.id);
  const { cwd } = session;
  const call = useMemo(() => callOf(action), [action]);
  const { id, author } = action;
  const { type, rationale } = action.action;
  if (session.goal?.takenOver === id) {
    return <HandCard sessionId={session.id} action={action} renderExplained={renderExplained} />;
  }
  if (type === "user_input" && author === "agent") return <Asked action={action} />;
  if (author === "user" && wasDoneByHand(action)) return <ByHand action={action} />;
  const why = author === "verify" ? t("goal.talk.verify") : rationale.trim();
  return (
    <div className="grid min-w-0 gap-1.5">
      {why === "" ? null : <p className="text-sm wrap-break-word text-ink-2">{why}</p>}
      <CallCard
        sessionId={session.id}
        root={cwd}
        call={call}
        approval={approval}
        checkpoint={kept.checkpoints.get(id)}
        undone={kept.undone.get(id)}
        busy={busy}
        mark={
          author === "user" ? (
            <span title={t("goal.talk.byUserHint")}>
              <Pill tone="planner">{t("goal.talk.byUser")}</Pill>
            </span>
          ) : null
        }
      />
      {toTakeOver(session)?.id === id ? (
        <div className="flex justify-end">
          <Button
            size="sm"
            variant="ghost"
            icon={<Hand aria-hidden />}
            title={t("goal.talk.takeOverHint")}
            onClick={() => void command({ type: "take-over", actionId: id })}
          >
            {t("goal.talk.takeOver")}
          </Button>
        </div>
      ) : null}
    </div>
  );
}

/** Nothing was run for it: the user did something in its place and said what. */
function wasDoneByHand({ state }: GoalAction): boolean {
  return state.type === "ended" && state.action === null && state.result.outcome === "success";
}

function ByHand({ action: { state, action } }: { action: GoalAction }) {
  if (state.type !== "ended") return null;
  return (
    <section
      aria-label={t("goal.talk.byHand")}
      className="flex gap-3 rounded-md border border-line bg-panel p-3"
    >
      <Hand aria-hidden className="mt-0.5 size-4 shrink-0 text-teacher" />
      <div className="min-w-0">
        <h4 className="font-semibold">{t("goal.talk.byHand")}</h4>
        <p className="wrap-break-word whitespace-pre-wrap">{state.result.content}</p>
        {action.type === "shell" ? (
          <p className="mt-0.5 text-sm wrap-break-word text-ink-3">
            {t("goal.talk.insteadOf")} <CommandText command={action.content} />
          </p>
        ) : null}
      </div>
    </section>
  );
}

/** What the agent wanted to know, and what it was told. An open question stands at the end, with its field. */
function Asked({ action: { state, action } }: { action: GoalAction }) {
  if (state.type !== "ended") return null;
  const { outcome, content } = state.result;
  return (
    <div className="grid gap-2.5">
      <section
        aria-label={t("goal.question.agent")}
        className="flex gap-3 rounded-md border border-line bg-panel p-3"
      >
        <MessageCircleQuestion aria-hidden className="mt-0.5 size-4 shrink-0 text-agentic-ink" />
        <p className="min-w-0 flex-1 leading-relaxed wrap-break-word whitespace-pre-wrap">{action.content}</p>
      </section>
      {outcome === "success" ? (
        <Bubble>
          <p className="wrap-break-word whitespace-pre-wrap">{content}</p>
        </Bubble>
      ) : null}
    </div>
  );
}
