/** Before a step runs the reader may guess what it prints or changes. */
import { useId, useState } from "react";
import { t } from "@/i18n";
import type { SessionId, StepId } from "@/ipc/bindings";
import { Button } from "@/shared/Button";
import { Switch } from "@/shared/Switch";
import { place, useGuesses } from "./guesses";

type Props = { sessionId: SessionId; stepId: StepId };

export function Guess({ sessionId, stepId }: Props) {
  const given = useGuesses((state) => state.given.get(place(sessionId, stepId)));
  const give = useGuesses((state) => state.give);
  const [text, setText] = useState("");
  const id = useId();
  if (given !== undefined)
    return given === "" ? null : (
      <p className="text-sm text-ink-2">{t("teacher.guess.kept", { guess: given })}</p>
    );
  return (
    <form
      className="grid gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() !== "") give(sessionId, stepId, text.trim());
      }}
    >
      <label htmlFor={id} className="font-semibold">
        {t("teacher.guess.label")}
      </label>
      <p className="text-sm text-ink-3">{t("teacher.guess.text")}</p>
      <input
        id={id}
        value={text}
        onChange={(event) => setText(event.target.value)}
        className="w-full rounded-sm border border-line-strong bg-bg px-2.5 py-1.5 text-ink"
      />
      <div className="flex flex-wrap gap-2">
        <Button size="sm" type="submit" disabled={text.trim() === ""}>
          {t("teacher.guess.keep")}
        </Button>
        <Button size="sm" onClick={() => give(sessionId, stepId, "")}>
          {t("teacher.guess.show")}
        </Button>
      </div>
    </form>
  );
}

/** Whether what a step does is still to be guessed. */
export function useGuessing(sessionId: SessionId, stepId: StepId): boolean {
  return useGuesses((state) => state.asked && !state.given.has(place(sessionId, stepId)));
}

/** Turns guessing on and off. */
export function GuessOption() {
  const asked = useGuesses((state) => state.asked);
  const setAsked = useGuesses((state) => state.setAsked);
  return (
    <div className="flex items-center gap-2 text-sm text-ink-2">
      <Switch label={t("teacher.guess.option")} checked={asked} onChange={setAsked} />
      <span aria-hidden>{t("teacher.guess.option")}</span>
    </div>
  );
}
