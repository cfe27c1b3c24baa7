/** Words for the agent instead of a yes. The command does not run. */
import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from "react";
import { t } from "@/i18n";
import { Button } from "@/shared/Button";

type Props = {
  disabled: boolean;
  /** The model that reads the words; null: whoever mends the run. */
  to: string | null;
  onSend: (guidance: string) => void;
  onBack: () => void;
};

export function InsteadForm({ disabled, to, onSend, onBack }: Props) {
  const [text, setText] = useState("");
  const field = useRef<HTMLTextAreaElement>(null);
  const guidance = text.trim();
  useEffect(() => field.current?.focus(), []);
  const send = () => {
    if (guidance !== "" && !disabled) onSend(guidance);
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    send();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape") onBack();
    else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      send();
    } else return;
    // Here these keys mean the words, not the command.
    event.stopPropagation();
  };
  return (
    <form onSubmit={onSubmit} className="grid gap-2">
      <textarea
        ref={field}
        value={text}
        rows={2}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
        aria-label={t("approval.insteadLabel")}
        placeholder={t("approval.insteadPlaceholder")}
        className="w-full resize-y rounded-sm border border-line-strong bg-panel px-2.5 py-2 text-md text-ink placeholder:text-ink-3"
      />
      <div className="flex flex-wrap items-center justify-end gap-2">
        {to === null ? null : (
          <p className="mr-auto min-w-0 text-sm wrap-anywhere text-ink-3">
            {t("approval.insteadTo", { model: to })}
          </p>
        )}
        <Button size="sm" onClick={onBack}>
          {t("approval.back")}
        </Button>
        <Button size="sm" type="submit" variant="agentic" disabled={guidance === "" || disabled}>
          {t("approval.insteadSend")}
        </Button>
      </div>
    </form>
  );
}
