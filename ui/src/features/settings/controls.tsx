/* The parts that every section of the settings is made of. */
import { ChevronDown } from "lucide-react";
import { type ReactNode, useEffect, useId, useState } from "react";
import { t } from "@/i18n";
import { cx } from "@/shared/cx";

export const FIELD = "h-8 rounded-sm border border-line-strong bg-raised px-2.5 text-md text-ink shadow-1";

/** `id`: where something else in the window may lead to. */
export function Group({ id, title, children }: { id?: string; title: string; children: ReactNode }) {
  return (
    <section id={id} aria-label={title} className="mt-8 scroll-mt-6">
      <h2 className="border-b border-line pb-2 text-xs font-medium text-ink-3">{title}</h2>
      {children}
    </section>
  );
}

export function Row({ title, text, children }: { title: string; text: string; children: ReactNode }) {
  return (
    <div className="flex flex-wrap items-center gap-x-6 gap-y-2 border-b border-line py-3.5">
      <div className="min-w-52 flex-1">
        <p className="font-medium">{title}</p>
        <p className="text-sm text-ink-3">{text}</p>
      </div>
      {children}
    </div>
  );
}

type ChoiceProps<T extends string> = {
  label: string;
  value: T;
  choices: [T, string][];
  onChange: (value: T) => void;
};

export function Choice<T extends string>({ label, value, choices, onChange }: ChoiceProps<T>) {
  return (
    <span className="relative">
      <select
        aria-label={label}
        value={value}
        onChange={(event) => {
          const chosen = choices.find(([choice]) => choice === event.target.value);
          if (chosen) onChange(chosen[0]);
        }}
        className={`${FIELD} appearance-none pr-8`}
      >
        {choices.map(([choice, name]) => (
          <option key={choice} value={choice}>
            {name}
          </option>
        ))}
      </select>
      <ChevronDown
        aria-hidden
        className="pointer-events-none absolute top-2.5 right-2.5 size-3.5 text-ink-3"
      />
    </span>
  );
}

type NumberFieldProps = {
  label: string;
  unit: string;
  /** Shown until something else is typed; null is an empty field. */
  value: string;
  /** What the text means; `undefined`: nothing that can be meant. */
  read: (text: string) => number | null | undefined;
  problem: string;
  placeholder?: string;
  wide?: boolean;
  onChange: (value: number | null) => void;
};

/** Saved when the field is left or Enter is pressed, and only when it holds something that can be meant. */
export function NumberField(props: NumberFieldProps) {
  const { label, unit, value, read, problem, placeholder, wide = false, onChange } = props;
  const [text, setText] = useState(value);
  const problemId = useId();
  useEffect(() => setText(value), [value]);
  const meant = read(text.trim());
  const valid = meant !== undefined;
  const commit = () => {
    if (meant !== undefined && text.trim() !== value) onChange(meant);
  };
  return (
    <div className="grid justify-items-end gap-1">
      <span className="flex items-center gap-2 text-sm text-ink-2">
        <input
          type="text"
          inputMode="decimal"
          aria-label={`${label}, ${unit}`}
          aria-invalid={!valid}
          aria-describedby={valid ? undefined : problemId}
          placeholder={placeholder}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onBlur={commit}
          onKeyDown={(event) => event.key === "Enter" && commit()}
          className={cx(
            FIELD,
            wide ? "w-32" : "w-20",
            "text-right tabular-nums placeholder:text-ink-3 aria-invalid:border-danger",
          )}
        />
        {unit}
      </span>
      {valid ? null : (
        <span id={problemId} role="alert" className="max-w-64 text-right text-sm text-danger">
          {problem}
        </span>
      )}
    </div>
  );
}

/** Reads whole numbers within limits; an empty text is null where `optional`. */
export function whole(min: number, max: number, optional = false) {
  return (text: string): number | null | undefined => {
    if (text === "") return optional ? null : undefined;
    // People write thousands with commas, dots, thin or plain spaces.
    const number = Number(text.replace(/(?<=\d)[ ,.\u00a0\u202f](?=\d{3}(\D|$))/g, ""));
    return Number.isInteger(number) && number >= min && number <= max ? number : undefined;
  };
}

/** The longest limit that can be set, in minutes: a day. */
const MAX_MINUTES = 1440;

type MinutesProps = { label: string; seconds: number; onChange: (seconds: number) => void };

export function Minutes({ label, seconds, onChange }: MinutesProps) {
  return (
    <NumberField
      label={label}
      unit={t("settings.minutes")}
      value={String(Math.max(1, Math.round(seconds / 60)))}
      read={whole(1, MAX_MINUTES)}
      problem={t("settings.outOfRange", { max: MAX_MINUTES })}
      onChange={(minutes) => minutes !== null && onChange(minutes * 60)}
    />
  );
}
