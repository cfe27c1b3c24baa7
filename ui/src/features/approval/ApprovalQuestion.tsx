/** One question with everything that is needed to answer it, and its answers. */
import { BookOpen, ChevronLeft, ChevronRight, TriangleAlert } from "lucide-react";
import { type KeyboardEvent, type RefObject, useMemo, useState } from "react";
import { t } from "@/i18n";
import type { Approval, ApprovalAnswer, SessionState } from "@/ipc/bindings";
import { Button, IconButton } from "@/shared/Button";
import { cx } from "@/shared/cx";
import { modifierName, useAfterPaint } from "@/shared/hooks";
import { Kbd } from "@/shared/Kbd";
import { inOrder } from "@/shared/risk";
import { guideRule } from "@/shared/steps";
import { WithCode } from "@/shared/WithCode";
import { ApprovalCommand } from "./ApprovalCommand";
import { ApprovalFacts } from "./ApprovalFacts";
import { ApprovalTool } from "./ApprovalTool";
import { Environment } from "./Environment";
import { ForecastPanel } from "./ForecastPanel";
import { InsteadForm } from "./InsteadForm";
import { Remember, type Remembered } from "./Remember";
import { Said } from "./Said";
import type { Queue } from "./useQueue";
import { Warnings } from "./Warnings";
import { isCall, proposerOf, ruleReach, titleOf } from "./words";

type Props = {
  approval: Approval;
  /** The one that asks. */
  session: SessionState;
  /** The session is not the only one that asks, or not the one that is shown: it is named. */
  named: boolean;
  queue: Queue;
  /** An answer is on its way. */
  answering: boolean;
  /** The harmless answer, where the focus starts. */
  harmless: RefObject<HTMLButtonElement | null>;
  onAnswer: (answer: ApprovalAnswer) => void;
  /** Of an action of a goal: the user does it in the agent's place. */
  onTakeOver: (() => void) | undefined;
};

export function ApprovalQuestion(props: Props) {
  const { approval, session, named, queue, answering, harmless, onAnswer, onTakeOver } = props;
  const [edited, setEdited] = useState<string | null>(null);
  const [editing, setEditing] = useState(false);
  const [instead, setInstead] = useState(false);
  const [remembered, setRemembered] = useState<Remembered | null>(null);
  const [bareKey, setBareKey] = useState(false);
  const [pointed, setPointed] = useState<number | null>(null);
  // The dialog is on the screen first; what can be had a moment later comes then.
  const painted = useAfterPaint();
  const reasons = useMemo(() => inOrder(approval.assessment.reasons), [approval]);
  const dangerous = approval.assessment.risk === "dangerous" || approval.assessment.risk === "blocked";
  const { proposer } = approval;

  // What was edited is another command; whether that wants a terminal is found when it is assessed.
  const canTerminal = approval.terminal === true && edited === null;
  const needsTerminal = canTerminal && approval.assessment.keyboard?.effect === "not-started";

  const approve = () => {
    if (answering || editing || instead) return;
    if (needsTerminal) return onAnswer({ type: "in-terminal" });
    if (remembered && edited === null) onAnswer({ type: "allow-always", ...remembered });
    else onAnswer({ type: "allow-once", editedCommand: edited });
  };
  // Nothing runs on a bare key, not even with the focus on its button.
  const onButtonKey = (event: KeyboardEvent) => {
    if ((event.key === "Enter" || event.key === " ") && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      setBareKey(true);
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const turn = turnOf(event);
    if (turn && !answering) {
      event.preventDefault();
      queue[turn]();
      return;
    }
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.repeat) return;
    event.preventDefault();
    approve();
  };

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the shortcut belongs to the whole dialog.
    <div className="flex min-h-0 flex-col text-md" onKeyDown={onKeyDown}>
      {/* The answers stay in sight, and giving them the focus never scrolls the command away. */}
      <div className="grid min-h-0 gap-4 overflow-y-auto px-5 pt-5 pb-4">
        <header className="flex items-start gap-3">
          <span
            className={cx(
              "flex size-[34px] shrink-0 items-center justify-center rounded-sm",
              dangerous ? "bg-danger-tint text-danger" : "bg-caution-tint text-caution",
            )}
          >
            <TriangleAlert aria-hidden className="size-4" />
          </span>
          <div className="min-w-0 flex-1">
            <h2 id={`${approval.id}-title`} className="text-lg leading-snug font-semibold text-ink">
              {titleOf(approval)}
            </h2>
            <p id={`${approval.id}-description`} className="wrap-anywhere text-ink-2">
              {proposerOf(approval, session.plan)} <WithCode text={approval.warningMessage} />
            </p>
            {named ? (
              <p className="mt-0.5 text-sm wrap-anywhere text-ink-3">
                {t("approval.inSession", { title: session.title })}
              </p>
            ) : null}
          </div>
          <Turns queue={queue} disabled={answering} />
        </header>

        {approval.action.type === "tool" ? (
          <ApprovalTool approval={approval} action={approval.action} reasons={reasons} pointed={pointed} />
        ) : (
          <ApprovalCommand
            approval={approval}
            reasons={reasons}
            pointed={pointed}
            edited={edited}
            editing={editing}
            onEditing={setEditing}
            onEdited={(command) => {
              setEdited(command);
              setEditing(false);
              harmless.current?.focus();
            }}
          />
        )}
        <ApprovalFacts approval={approval} reasons={reasons} onPoint={setPointed} />
        <Warnings reasons={reasons} />
        {painted ? (
          <div className="grid gap-1.5 empty:hidden">
            {edited === null ? <ForecastPanel approval={approval} /> : null}
            <Environment changes={approval.environment ?? []} />
          </div>
        ) : null}

        {proposer.type === "agent" ? (
          <div className="flex gap-2.5">
            <BookOpen aria-hidden className="mt-0.5 size-3.5 shrink-0 text-agentic-ink" />
            <p className="min-w-0 wrap-anywhere text-ink-2">
              <b className="mr-1 font-semibold text-ink">{t("approval.why")}</b> {proposer.reason}{" "}
              {guideRule(proposer.source) ? (
                <span className="text-ink-3">
                  {t("approval.rule", { rule: guideRule(proposer.source) ?? "" })}
                </span>
              ) : null}
            </p>
          </div>
        ) : null}

        {proposer.type === "chat" ? <Said model={proposer.model} reason={proposer.reason} /> : null}

        {instead ? (
          <InsteadForm
            disabled={answering}
            to={proposer.type === "chat" ? proposer.model : null}
            onSend={(guidance) => onAnswer({ type: "instead", guidance })}
            onBack={() => {
              setInstead(false);
              harmless.current?.focus();
            }}
          />
        ) : null}

        <Remember
          offers={approval.offers}
          dangerous={dangerous}
          edited={edited !== null}
          call={isCall(approval)}
          suggested={painted ? (approval.suggested ?? null) : null}
          sessionId={session.id}
          value={remembered}
          onChange={setRemembered}
        />
      </div>
      <footer className="flex shrink-0 flex-wrap items-center justify-end gap-2 border-t border-line px-5 py-4">
        <Button
          variant="dangerText"
          className="mr-auto"
          disabled={answering}
          onClick={() => onAnswer({ type: "never" })}
        >
          {t("approval.neverAllow")}
        </Button>
        {onTakeOver && !instead ? (
          <Button disabled={answering} onClick={onTakeOver}>
            {t("approval.takeOver")}
          </Button>
        ) : null}
        {instead ? null : (
          <Button disabled={answering} onClick={() => setInstead(true)}>
            {t("approval.instead")}
          </Button>
        )}
        {/* Its ring is shown after a click elsewhere too: one has to see where the keys go. */}
        <Button
          ref={harmless}
          disabled={answering}
          className="focus:outline-2 focus:outline-offset-2 focus:outline-focus"
          onClick={() => onAnswer({ type: "not-now" })}
        >
          {t("approval.dontRun")}
        </Button>
        {canTerminal && !needsTerminal ? (
          <Button
            disabled={answering || editing || instead}
            onKeyDown={onButtonKey}
            onClick={() => onAnswer({ type: "in-terminal" })}
          >
            {t("approval.inTerminal")}
          </Button>
        ) : null}
        <Button
          variant={dangerous ? "danger" : "primary"}
          className="max-w-full shrink"
          disabled={answering || editing || instead}
          aria-keyshortcuts="Control+Enter Meta+Enter"
          onKeyDown={onButtonKey}
          onClick={approve}
        >
          <span className="truncate">
            {needsTerminal ? t("approval.inTerminal") : approveLabel(remembered, edited)}
          </span>
          <Kbd keys="Mod+Enter" />
        </Button>
        <p role="status" className="w-full text-right text-sm text-ink-2 empty:hidden">
          {bareKey ? t("approval.bareKey", { keys: `${modifierName()} Enter` }) : null}
        </p>
      </footer>
    </div>
  );
}

function approveLabel(remembered: Remembered | null, edited: string | null): string {
  if (edited !== null) return t("approval.runEdited");
  if (!remembered) return t("approval.runOnce");
  return t(`approval.allow.${remembered.lifetime}`, { what: ruleReach(remembered.rule) });
}

/** Alt with an arrow turns to another open question, unless words are being written. */
function turnOf(event: KeyboardEvent): "previous" | "next" | null {
  if (!event.altKey || event.ctrlKey || event.metaKey || event.target instanceof HTMLTextAreaElement)
    return null;
  if (event.key === "ArrowLeft") return "previous";
  return event.key === "ArrowRight" ? "next" : null;
}

/** "2 of 3", and the way to the others. */
function Turns({ queue, disabled }: { queue: Queue; disabled: boolean }) {
  return (
    <div className="flex shrink-0 items-center gap-0.5 text-xs text-ink-3 tabular-nums">
      {queue.open > 1 ? (
        <IconButton
          label={t("approval.previousQuestion")}
          aria-keyshortcuts="Alt+ArrowLeft"
          disabled={disabled}
          onClick={queue.previous}
        >
          <ChevronLeft aria-hidden />
        </IconButton>
      ) : null}
      <span>{t("approval.queue", { position: queue.position, total: queue.total })}</span>
      {queue.open > 1 ? (
        <IconButton
          label={t("approval.nextQuestion")}
          aria-keyshortcuts="Alt+ArrowRight"
          disabled={disabled}
          onClick={queue.next}
        >
          <ChevronRight aria-hidden />
        </IconButton>
      ) : null}
    </div>
  );
}
