/* A question that a goal waits with, and the field for its answer. It never takes the focus by itself: whoever writes
   elsewhere goes on writing. */
import { Check, MessageCircleQuestion, Send } from "lucide-react";
import { type FormEvent, type KeyboardEvent, useState } from "react";
import { t } from "@/i18n";
import type { GoalQuestion, SessionId } from "@/ipc/bindings";
import { Button } from "@/shared/Button";
import { useApp } from "@/state/store";

type Props = { sessionId: SessionId; question: GoalQuestion };

export function QuestionCard({ sessionId, question }: Props) {
  const verify = question.askedBy === "verify";
  const title = t(verify ? "goal.question.verify" : "goal.question.agent");
  const [missing, setMissing] = useState(false);
  const { busy, answer } = useAnswer(sessionId, question);
  return (
    <section
      aria-label={title}
      className="grid gap-3 rounded-md border border-agentic-line bg-agentic-tint p-3.5"
    >
      <div className="flex gap-3">
        <MessageCircleQuestion aria-hidden className="mt-0.5 size-4 shrink-0 text-agentic-ink" />
        <div className="min-w-0 flex-1">
          <h3 className="font-semibold">{title}</h3>
          <p className="leading-relaxed wrap-break-word whitespace-pre-wrap">{question.text}</p>
          <p className="mt-0.5 text-sm text-ink-2">{t("goal.question.waits")}</p>
        </div>
      </div>
      {verify && !missing ? (
        <div className="flex flex-wrap gap-2 pl-7">
          <Button
            variant="agentic"
            icon={<Check aria-hidden />}
            disabled={busy}
            onClick={() => answer(t("goal.question.yesWord"))}
          >
            {t("goal.question.yes")}
          </Button>
          <Button disabled={busy} onClick={() => setMissing(true)}>
            {t("goal.question.no")}
          </Button>
        </div>
      ) : (
        <AnswerForm
          label={t(verify ? "goal.question.noField" : "goal.question.answer")}
          placeholder={t(verify ? "goal.question.noPlaceholder" : "goal.question.placeholder")}
          takesFocus={missing}
          busy={busy}
          onAnswer={answer}
        />
      )}
    </section>
  );
}

function useAnswer(sessionId: SessionId, question: GoalQuestion) {
  const command = useApp((store) => store.command);
  const [busy, setBusy] = useState(false);
  const answer = (text: string) => {
    setBusy(true);
    void command({ type: "answer-question", questionId: question.id, text }, sessionId).finally(() =>
      setBusy(false),
    );
  };
  return { busy, answer };
}

type FormProps = {
  label: string;
  placeholder: string;
  /** The user has just asked for the field. */
  takesFocus: boolean;
  busy: boolean;
  onAnswer: (text: string) => void;
};

function AnswerForm({ label, placeholder, takesFocus, busy, onAnswer }: FormProps) {
  const [text, setText] = useState("");
  const send = () => {
    const words = text.trim();
    if (words !== "" && !busy) onAnswer(words);
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    send();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  return (
    <form onSubmit={onSubmit} className="flex items-end gap-2 pl-7">
      <textarea
        ref={takesFocus ? focusOnce : undefined}
        rows={1}
        value={text}
        aria-label={label}
        placeholder={placeholder}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
        className="field-sizing-content max-h-40 min-h-8 min-w-0 flex-1 resize-none rounded-sm border border-line-strong bg-raised px-2.5 py-1.5 text-md text-ink placeholder:text-ink-3"
      />
      <Button
        type="submit"
        variant="agentic"
        icon={<Send aria-hidden />}
        disabled={busy || text.trim() === ""}
      >
        {t("goal.question.send")}
      </Button>
    </form>
  );
}

function focusOnce(field: HTMLTextAreaElement | null): void {
  field?.focus();
}
