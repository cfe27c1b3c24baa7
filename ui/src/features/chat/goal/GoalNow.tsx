/* Where a goal stands now, under all that happened: it thinks, asks, is paused, or has ended; with what one can do. */
import { CircleAlert, CircleCheck, CirclePause, CircleX, Gauge, ScrollText } from "lucide-react";
import { type ReactNode, useState } from "react";
import { t } from "@/i18n";
import type { GoalEnd, GoalPause, GoalState, SessionId, SessionState } from "@/ipc/bindings";
import { AskModelButton, AskModelConfirm, useEscalation } from "@/shared/AskModel";
import { Button } from "@/shared/Button";
import { formatElapsed } from "@/shared/format";
import { canGoOn, pauseInWords, sentence } from "@/shared/goal";
import { useNow } from "@/shared/hooks";
import { Spinner } from "@/shared/Spinner";
import { isOpen } from "@/shared/todos";
import { useApp } from "@/state/store";
import { StandingCard } from "../StandingCard";
import { quietSince } from "./goalRows";
import { QuestionCard } from "./QuestionCard";

export function GoalNow({ session, goal }: { session: SessionState; goal: GoalState }) {
  const { phase, question } = goal;
  switch (phase.type) {
    case "working":
      return <Thinking goal={goal} />;
    case "waiting":
      return question ? <QuestionCard key={question.id} sessionId={session.id} question={question} /> : null;
    case "paused":
      return (
        <div className="grid gap-4">
          <Paused reason={phase.reason} />
          {question ? <QuestionCard key={question.id} sessionId={session.id} question={question} /> : null}
        </div>
      );
    case "ended":
      return <Ended goal={goal} end={phase.end} goesOn={canGoOn(session)} sessionId={session.id} />;
  }
}

/** A wait shorter than this needs no number. */
const COUNT_FROM_MS = 3_000;

function Thinking({ goal }: { goal: GoalState }) {
  const now = useNow(true);
  const last = goal.actions.at(-1);
  // Its own card says so.
  if (last?.state.type === "running") return null;
  const lookers = goal.subGoals.filter((sub) => sub.end === null).length;
  // Each of them counts its own time.
  if (lookers > 0) return <Waiting>{t("goal.talk.branches", { count: lookers })}</Waiting>;
  const elapsed = now - Date.parse(quietSince(goal));
  const words = goal.checking
    ? "goal.talk.checking"
    : goal.iteration === 0
      ? "goal.talk.thinkingFirst"
      : "goal.talk.thinking";
  return (
    <Waiting>
      {t(words)}
      {elapsed >= COUNT_FROM_MS ? (
        <span className="text-ink-3 tabular-nums">{formatElapsed(elapsed)}</span>
      ) : null}
    </Waiting>
  );
}

function Waiting({ children }: { children: ReactNode }) {
  return (
    <p className="flex items-center gap-2 text-sm text-ink-2">
      <Spinner />
      {children}
    </p>
  );
}

function Paused({ reason }: { reason: GoalPause }) {
  const show = useApp((store) => store.show);
  const failed = reason.type === "model-failed";
  return (
    <StandingCard
      tone={failed ? "bad" : "warn"}
      icon={failed ? <CircleX aria-hidden /> : <CirclePause aria-hidden />}
      title={t(failed ? "goal.pause.failed" : "goal.pause.title")}
      code={reason.type === "model-failed" ? reason.code : reason.type}
      text={pauseInWords(reason)}
    >
      <GoOn label={t("goal.pause.resume")} />
      {failed ? (
        <Button size="sm" variant="ghost" onClick={() => show("settings")}>
          {t("chat.end.settings")}
        </Button>
      ) : null}
    </StandingCard>
  );
}

/** `goesOn`: it may be taken up again. */
type EndedProps<End> = { goal: GoalState; end: End; goesOn: boolean; sessionId: SessionId };

function Ended({ goal, end, goesOn, sessionId }: EndedProps<GoalEnd>) {
  switch (end.type) {
    case "complete":
      return (
        <StandingCard
          tone="done"
          icon={<CircleCheck aria-hidden />}
          title={t("goal.end.complete")}
          text={completeInWords(goal, end.verified)}
        >
          <Report goal={goal} />
        </StandingCard>
      );
    case "stuck":
      return (
        <StandingCard
          tone="warn"
          icon={<CircleAlert aria-hidden />}
          title={t("goal.end.stuck")}
          code={end.type}
          text={sentence(t(`goal.end.cause.${end.cause}`, { words: end.words }))}
          more={goesOn ? <p className="text-ink-2">{t("goal.end.stuckHelp")}</p> : null}
        >
          {goesOn ? <GoOnWithWords /> : null}
          {goesOn ? <GoOnStronger sessionId={sessionId} /> : null}
          <Report goal={goal} />
        </StandingCard>
      );
    case "out-of-budget":
      return <OutOfBudget goal={goal} end={end} goesOn={goesOn} sessionId={sessionId} />;
    case "cancelled":
      return (
        <StandingCard
          tone="plain"
          icon={<CircleX aria-hidden />}
          title={t("goal.end.cancelled")}
          text={[t("goal.end.cancelledText"), openInWords(goal)].join(" ").trim()}
        >
          {goesOn ? <GoOn label={t("goal.end.goOn")} /> : null}
          <Report goal={goal} />
        </StandingCard>
      );
  }
}

function completeInWords({ request: { verify } }: GoalState, verified: boolean): string {
  if (!verified || !verify) return t("goal.end.completeUnverified");
  return verify.type === "command"
    ? t("goal.end.completeVerified", { what: sentence(verify.command) })
    : t("goal.end.completeAnswered");
}

function openInWords({ todos }: GoalState): string {
  const open = todos.filter(isOpen).length;
  return open > 0 ? t("goal.end.open", { count: open }) : "";
}

function OutOfBudget({ goal, end, goesOn }: EndedProps<Extract<GoalEnd, { type: "out-of-budget" }>>) {
  const showSettings = useApp((store) => store.showSettings);
  const { budget } = end;
  const why =
    budget.type === "iterations"
      ? t("goal.end.iterations", { count: budget.allowed })
      : t(`goal.end.${budget.cap}`);
  return (
    <StandingCard
      tone="warn"
      icon={<Gauge aria-hidden />}
      title={t("goal.end.outOfBudget")}
      code={end.type}
      text={[why, openInWords(goal)].join(" ").trim()}
    >
      {!goesOn ? null : budget.type === "iterations" ? (
        <GoOn label={t("goal.end.allowMore", { count: goal.request.maxIterations ?? 0 })} />
      ) : (
        <>
          <Button size="sm" variant="agentic" onClick={() => showSettings("caps")}>
            {t("goal.end.raise")}
          </Button>
          <GoOn label={t("goal.end.goOn")} />
        </>
      )}
      <Report goal={goal} />
    </StandingCard>
  );
}

function GoOn({ label }: { label: string }) {
  const command = useApp((store) => store.command);
  return (
    <Button size="sm" variant="agentic" onClick={() => void command({ type: "resume", mode: null })}>
      {label}
    </Button>
  );
}

/** What to do differently, said with the same press that lets it go on. */
function GoOnWithWords() {
  const command = useApp((store) => store.command);
  const [words, setWords] = useState("");
  const goOn = async () => {
    const text = words.trim();
    setWords("");
    // Words alone let it go on.
    await command(text === "" ? { type: "resume", mode: null } : { type: "guide", text });
  };
  return (
    <form
      className="flex w-full flex-wrap gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        void goOn();
      }}
    >
      <input
        type="text"
        value={words}
        onChange={(event) => setWords(event.target.value)}
        aria-label={t("goal.guide.title")}
        placeholder={t("goal.guide.placeholder")}
        className="h-[26px] min-w-48 flex-1 rounded-sm border border-line-strong bg-raised px-2.5 text-sm text-ink placeholder:text-ink-3"
      />
      <Button type="submit" size="sm" variant="agentic">
        {t("goal.end.goOn")}
      </Button>
    </form>
  );
}

/** Once the price was seen and agreed to, the stronger model works on it from now on. Nothing where there is none. */
function GoOnStronger({ sessionId }: { sessionId: SessionId }) {
  const command = useApp((store) => store.command);
  const estimate = useEscalation(sessionId);
  const [asking, setAsking] = useState(false);
  if (!estimate) return null;
  if (!asking) return <AskModelButton estimate={estimate} onAsk={() => setAsking(true)} />;
  return (
    <AskModelConfirm
      estimate={estimate}
      about="goal"
      onYes={() => {
        setAsking(false);
        void command({ type: "escalate" });
      }}
      onBack={() => setAsking(false)}
    />
  );
}

function Report({ goal }: { goal: GoalState }) {
  const showOverlay = useApp((store) => store.showOverlay);
  return (
    <>
      <Button size="sm" icon={<ScrollText aria-hidden />} onClick={() => showOverlay({ type: "report" })}>
        {t("goal.end.report")}
      </Button>
      {goal.report ? (
        <p className="w-full text-sm wrap-anywhere text-ink-3">{t("goal.end.kept", { path: goal.report })}</p>
      ) : null}
    </>
  );
}
