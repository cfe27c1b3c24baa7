/** One of a few choices, side by side; arrow keys move between them. */
import { RadioGroup } from "radix-ui";
import type { ReactNode } from "react";
import { cx } from "./cx";

export type Segment<T extends string> = {
  value: T;
  label: string;
  icon?: ReactNode;
  /** Classes of the chosen state: its ground and ink. */
  chosen?: string;
};

/** Classes of a word: of the chosen one, of the others. */
const LABELS = {
  compact: { chosen: undefined, other: "@max-md:hidden" },
  tight: { chosen: "@max-xl:hidden", other: "hidden" },
} as const;

type Props<T extends string> = {
  /** Name of the whole group. */
  label: string;
  value: T;
  segments: Segment<T>[];
  onChange: (value: T) => void;
  disabled?: boolean;
  /** Why it is disabled, for the tooltip. */
  title?: string;
  /** What gives way to icons: in a narrow container the words of the others; or these always, and there the chosen one's too. */
  room?: keyof typeof LABELS;
};

export function Segmented<T extends string>({
  label,
  value,
  segments,
  onChange,
  disabled,
  title,
  room,
}: Props<T>) {
  return (
    <RadioGroup.Root
      aria-label={label}
      title={title}
      value={value}
      orientation="horizontal"
      disabled={disabled ?? false}
      onValueChange={(next) => {
        const segment = segments.find((candidate) => candidate.value === next);
        if (segment) onChange(segment.value);
      }}
      className="inline-flex shrink-0 items-center gap-0.5 rounded-[8px] border border-line bg-sunken p-0.5"
    >
      {segments.map((segment) => (
        <RadioGroup.Item
          key={segment.value}
          value={segment.value}
          aria-label={segment.label}
          title={room === "tight" && !title ? segment.label : undefined}
          className={cx(
            "inline-flex h-[26px] items-center gap-2 rounded-sm px-2.5 text-sm font-medium text-ink-2 transition-colors [&>svg]:size-3.5",
            "hover:text-ink disabled:pointer-events-none data-[state=unchecked]:disabled:text-ink-3",
            value === segment.value && (segment.chosen ?? "bg-raised text-ink shadow-1"),
          )}
        >
          {segment.icon}
          <span className={room && LABELS[room][value === segment.value ? "chosen" : "other"]}>
            {segment.label}
          </span>
        </RadioGroup.Item>
      ))}
    </RadioGroup.Root>
  );
}
