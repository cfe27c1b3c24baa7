/** Edits a command in place. Enter makes a new line; Ctrl or Cmd with Enter saves, Escape leaves. */
import { type KeyboardEvent, type ReactNode, useId, useLayoutEffect, useRef, useState } from "react";
import { t } from "@/i18n";
import { Button } from "./Button";
import { Kbd } from "./Kbd";

type Props = {
  command: string;
  saveLabel?: string;
  onSave: (command: string) => void;
  onCancel: () => void;
  /** More buttons beside Save, given what is written now. */
  extra?: (draft: string) => ReactNode;
};

export function CommandEditor({
  command,
  saveLabel = t("shared.editor.save"),
  onSave,
  onCancel,
  extra,
}: Props) {
  const [draft, setDraft] = useState(command);
  const field = useRef<HTMLTextAreaElement>(null);
  const hint = useId();
  const usable = draft.trim() !== "";

  useLayoutEffect(() => {
    const area = field.current;
    area?.focus();
    area?.setSelectionRange(area.value.length, area.value.length);
  }, []);

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      event.stopPropagation();
      if (usable) onSave(draft);
    } else if (event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      onCancel();
    }
  };

  return (
    <div className="grid gap-2">
      <textarea
        ref={field}
        value={draft}
        onChange={(event) => setDraft(event.target.value)}
        onKeyDown={onKeyDown}
        aria-label={t("shared.editor.label")}
        aria-describedby={hint}
        rows={Math.min(10, draft.split("\n").length + (draft.length > 90 ? 1 : 0))}
        spellCheck={false}
        autoCapitalize="off"
        autoCorrect="off"
        className="w-full resize-y rounded-sm border border-line-strong bg-panel px-2.5 py-2 font-mono text-sm leading-[18px] text-ink [font-variant-ligatures:none]"
      />
      <div className="flex flex-wrap items-center gap-2">
        <Button size="sm" variant="primary" disabled={!usable} onClick={() => onSave(draft)}>
          {saveLabel}
          <Kbd keys="Mod+Enter" />
        </Button>
        {extra?.(draft)}
        <Button size="sm" onClick={onCancel}>
          {t("shared.editor.cancel")}
        </Button>
        <span id={hint} className="text-xs text-ink-3">
          {t("shared.editor.hint")}
        </span>
      </div>
    </div>
  );
}
