/**
 * A field that shows dots, and what is typed only while a button is held. What is typed lives in the field alone: no state
 * keeps a copy, nothing fills it in by itself, and it is emptied when it goes.
 */
import { Eye } from "lucide-react";
import { type RefObject, useEffect, useState } from "react";
import { t } from "@/i18n";
import { cx } from "@/shared/cx";

type Props = {
  id: string;
  label: string;
  describedBy: string;
  /** A user name is no secret. */
  masked: boolean;
  field: RefObject<HTMLInputElement | null>;
  disabled: boolean;
  onFilled: (filled: boolean) => void;
};

export function MaskedField({ id, label, describedBy, masked, field, disabled, onFilled }: Props) {
  const [held, setHeld] = useState(false);

  useEffect(() => {
    const input = field.current;
    return () => {
      if (input) input.value = "";
    };
  }, [field]);

  const hold = () => setHeld(true);
  const release = () => setHeld(false);
  return (
    <div className="grid gap-1.5">
      <label htmlFor={id} className="text-sm font-semibold text-ink">
        {label}
      </label>
      <div className="flex items-center rounded-sm border border-line-strong bg-raised shadow-1 focus-within:outline-2 focus-within:outline-offset-2 focus-within:outline-focus">
        <input
          ref={field}
          id={id}
          type={masked && !held ? "password" : "text"}
          aria-describedby={describedBy}
          disabled={disabled}
          autoComplete="off"
          autoCorrect="off"
          autoCapitalize="off"
          spellCheck={false}
          data-1p-ignore
          data-lpignore="true"
          maxLength={1023}
          onInput={(event) => onFilled(event.currentTarget.value !== "")}
          className="h-9 min-w-0 flex-1 rounded-sm bg-transparent px-3 font-mono text-md text-ink outline-none"
        />
        {masked ? (
          <button
            type="button"
            aria-label={t("secret.reveal")}
            aria-pressed={held}
            title={t("secret.reveal")}
            onPointerDown={hold}
            onPointerUp={release}
            onPointerLeave={release}
            onPointerCancel={release}
            onBlur={release}
            onKeyDown={(event) => {
              if (event.key === " " || event.key === "Enter") {
                event.preventDefault();
                hold();
              }
            }}
            onKeyUp={release}
            className={cx(
              "mr-1 inline-flex size-7 shrink-0 items-center justify-center rounded-sm text-ink-3 select-none hover:bg-sunken hover:text-ink",
              held && "bg-sunken text-ink",
            )}
          >
            <Eye aria-hidden className="size-4" />
          </button>
        ) : null}
      </div>
    </div>
  );
}
