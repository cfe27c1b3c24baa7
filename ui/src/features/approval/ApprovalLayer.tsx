/**
 * Questions about commands, one at a time. A question opens as a modal dialog with the focus on the harmless answer, or,
 * while the user is typing, as a card that takes nothing. Sends answers; decides nothing.
 */
import { ShieldQuestion } from "lucide-react";
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { t } from "@/i18n";
import type { Approval, ApprovalAnswer, ApprovalId, Command, SessionId, SessionState } from "@/ipc/bindings";
import { Button } from "@/shared/Button";
import { CommandText } from "@/shared/CommandText";
import { toTakeOver } from "@/shared/goal";
import { Modal } from "@/shared/Modal";
import { textOf } from "@/shared/steps";
import { useInputGuard } from "@/shared/useInputGuard";
import { useTyping } from "@/shared/useTyping";
import { ApprovalQuestion } from "./ApprovalQuestion";
import { type Question, type Queue, useQueue } from "./useQueue";
import { isCall, titleOf } from "./words";

export type ApprovalLayerProps = {
  /** The one that is shown. */
  session: SessionState | null;
  /** Others that ask something. */
  waiting?: SessionState[];
  /** Never rejects: errors are shown by the shell. */
  onCommand: (command: Command, sessionId: SessionId) => Promise<void>;
};

/** How the present question is put; decided when it arrives. */
type Shown = { id: ApprovalId; as: "modal" | "card" };

const NONE: SessionState[] = [];

export function ApprovalLayer({ session, waiting = NONE, onCommand }: ApprovalLayerProps) {
  const { present, queue, stay } = useQueue(
    session ? questionsOf(session) : [],
    waiting.flatMap(questionsOf),
  );
  const isTyping = useTyping();
  const [shown, setShown] = useState<Shown | null>(null);

  const id = present?.approval.id;
  const elsewhere = present !== undefined && present.session.id !== session?.id;
  // In the same frame as the state that brought it: a question is never a frame late.
  useLayoutEffect(() => {
    setShown((before) => {
      if (id === undefined) return null;
      if (before?.id === id) return before;
      // A queue that is being worked through stays where it is; what another session asks interrupts nobody.
      const as = before?.as === "modal" ? "modal" : elsewhere || isTyping() ? "card" : "modal";
      return { id, as };
    });
  }, [id, elsewhere, isTyping]);

  // Who has a question open stays at it, and goes on to the next from there.
  const open = shown?.as === "modal" ? shown.id : null;
  useLayoutEffect(() => stay(open), [open, stay]);

  if (!present || shown?.id !== present.approval.id) return null;
  const { approval } = present;
  const answer = (given: ApprovalAnswer) =>
    onCommand({ type: "answer", approvalId: approval.id, answer: given }, present.session.id);
  return shown.as === "card" ? (
    <WaitingCard
      question={present}
      named={elsewhere}
      onReview={() => setShown({ id: approval.id, as: "modal" })}
      onDontRun={() => void answer({ type: "not-now" })}
    />
  ) : (
    <ApprovalDialog
      session={present.session}
      named={elsewhere || waiting.length > 0}
      approval={approval}
      queue={queue}
      onAnswer={answer}
      onTakeOver={
        toTakeOver(present.session)?.id === approval.stepId
          ? () => onCommand({ type: "take-over", actionId: approval.stepId }, present.session.id)
          : undefined
      }
    />
  );
}

function questionsOf(session: SessionState): Question[] {
  return session.approvals.map((approval) => ({ approval, session }));
}

type DialogProps = {
  session: SessionState;
  named: boolean;
  approval: Approval;
  queue: Queue;
  onAnswer: (answer: ApprovalAnswer) => Promise<void>;
  /** Of an action of a goal: the user does it in the agent's place. */
  onTakeOver: (() => Promise<void>) | undefined;
};

function ApprovalDialog({ session, named, approval, queue, onAnswer, onTakeOver }: DialogProps) {
  const harmless = useRef<HTMLButtonElement>(null);
  const [answering, setAnswering] = useState(false);
  useInputGuard(approval.id);

  const answer = useCallback(
    (given: ApprovalAnswer) => {
      setAnswering(true);
      void onAnswer(given).finally(() => setAnswering(false));
    },
    [onAnswer],
  );

  // biome-ignore lint/correctness/useExhaustiveDependencies: each question starts on the harmless answer.
  useEffect(() => harmless.current?.focus(), [approval.id]);

  return (
    <Modal
      titleId={`${approval.id}-title`}
      descriptionId={`${approval.id}-description`}
      initialFocus={harmless}
      onEscape={() => {
        if (!answering) answer({ type: "not-now" });
      }}
      // A file's lines want more room than a command, and so does another answer.
      className={approval.action.type === "tool" ? "w-[50rem]" : onTakeOver ? "w-[46rem]" : "w-[40rem]"}
    >
      <ApprovalQuestion
        key={approval.id}
        approval={approval}
        session={session}
        named={named}
        queue={queue}
        answering={answering}
        harmless={harmless}
        onAnswer={answer}
        onTakeOver={
          onTakeOver &&
          (() => {
            setAnswering(true);
            void onTakeOver().finally(() => setAnswering(false));
          })
        }
      />
    </Modal>
  );
}

type CardProps = { question: Question; named: boolean; onReview: () => void; onDontRun: () => void };

function WaitingCard({ question: { approval, session }, named, onReview, onDontRun }: CardProps) {
  const title = titleOf(approval);
  const call = isCall(approval);
  return (
    <section
      aria-label={t(call ? "approval.card.labelCall" : "approval.card.label")}
      className="fixed right-4 bottom-12 z-40 grid w-100 max-w-[calc(100vw-2rem)] gap-2.5 rounded-lg border border-line-strong bg-raised p-4 shadow-3"
    >
      <div role="alert" className="sr-only">
        {t(call ? "approval.card.announceCall" : "approval.card.announce", { title })}
      </div>
      <p className="flex items-center gap-2 font-semibold text-ink">
        <ShieldQuestion aria-hidden className="size-4 text-danger" />
        {title}
      </p>
      <div className="max-h-24 overflow-hidden rounded-sm bg-term px-3 py-2 text-sm text-term-ink">
        <CommandText command={textOf(approval.action)} reasons={approval.assessment.reasons} onTerminal />
      </div>
      <div className="flex items-center justify-end gap-2">
        <span
          className="mr-auto min-w-0 truncate text-xs text-ink-3"
          title={named ? session.title : undefined}
        >
          {named ? t("approval.inSession", { title: session.title }) : t("approval.card.kept")}
        </span>
        <Button size="sm" onClick={onDontRun}>
          {t("approval.dontRun")}
        </Button>
        <Button size="sm" variant="primary" onClick={onReview}>
          {t("approval.card.review")}
        </Button>
      </div>
    </section>
  );
}
