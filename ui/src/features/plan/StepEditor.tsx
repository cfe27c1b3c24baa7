/** Writes a new step into a draft: what it is called and what it runs. */
import { type FormEvent, type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { t } from "@/i18n";
import { Button } from "@/shared/Button";
import { Kbd } from "@/shared/Kbd";

/** The longest title that the engine takes, in characters. */
export const TITLE_LENGTH = 120;

type Props = {
  /** An empty title leaves the naming to the engine. */
  onSave: (title: string, command: string) => void;
  onCancel: () => void;
};

export function StepEditor({ onSave, onCancel }: Props) {
  const [title, setTitle] = useState("");
  const [command, setCommand] = useState("");
  const first = useRef<HTMLInputElement>(null);
  const form = useRef<HTMLFormElement>(null);
  const hint = useId();
  const usable = command.trim() !== "";
  useEffect(() => {
    first.current?.focus();
    form.current?.scrollIntoView({ block: "nearest" });
  }, []);

  const save = () => {
    if (usable) onSave(title.trim(), command);
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    save();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      save();
    } else if (event.key === "Escape") {
      event.preventDefault();
      onCancel();
    } else return;
    event.stopPropagation();
  };
  return (
    <form
      ref={form}
      aria-label={t("plan.draft.addLabel")}
      onSubmit={onSubmit}
      onKeyDown={onKeyDown}
      className="mb-1 grid gap-2 rounded-md border border-line bg-raised px-3 py-3 shadow-1"
    >
      <input
        ref={first}
        value={title}
        maxLength={TITLE_LENGTH}
        onChange={(event) => setTitle(event.target.value)}
        aria-label={t("plan.draft.title")}
        placeholder={t("plan.draft.titlePlaceholder")}
        className="h-8 w-full rounded-sm border border-line-strong bg-panel px-2.5 text-md font-semibold text-ink placeholder:font-normal placeholder:text-ink-3"
      />
      <textarea
        value={command}
        onChange={(event) => setCommand(event.target.value)}
        aria-label={t("shared.editor.label")}
        aria-describedby={hint}
        placeholder={t("plan.draft.commandPlaceholder")}
        rows={Math.min(8, Math.max(2, command.split("\n").length))}
        spellCheck={false}
        autoCapitalize="off"
        autoCorrect="off"
        className="w-full resize-y rounded-sm border border-line-strong bg-panel px-2.5 py-2 font-mono text-sm leading-[18px] text-ink placeholder:font-ui placeholder:text-ink-3 [font-variant-ligatures:none]"
      />
      <div className="flex flex-wrap items-center gap-2">
        <Button size="sm" type="submit" variant="primary" disabled={!usable}>
          {t("plan.draft.add")}
          <Kbd keys="Mod+Enter" />
        </Button>
        <Button size="sm" onClick={onCancel}>
          {t("shared.editor.cancel")}
        </Button>
        <span id={hint} className="text-xs text-ink-3">
          {t("shared.editor.hint")}
        </span>
      </div>
    </form>
  );
}
