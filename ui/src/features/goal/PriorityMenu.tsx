/* How urgent a to-do is: an arrow and a word, and the way to change it. */
import { ArrowDown, ArrowUp, Check, Minus } from "lucide-react";
import type { ReactNode } from "react";
import { t } from "@/i18n";
import type { Priority } from "@/ipc/bindings";
import { cx } from "@/shared/cx";
import { Menu } from "@/shared/Menu";

const ORDER: Priority[] = ["high", "medium", "low"];

const ICONS: Record<Priority, ReactNode> = {
  high: <ArrowUp aria-hidden />,
  medium: <Minus aria-hidden />,
  low: <ArrowDown aria-hidden />,
};

/** The next one up or down; the last of a direction stays. */
export function shifted(priority: Priority, by: -1 | 1): Priority {
  return ORDER[Math.min(ORDER.length - 1, Math.max(0, ORDER.indexOf(priority) + by))] ?? priority;
}

type Props = {
  title: string;
  priority: Priority;
  /** Without it the priority is only told. */
  onChange: ((priority: Priority) => void) | undefined;
};

export function PriorityMenu({ title, priority, onChange }: Props) {
  const word = t(`goal.todos.priority.${priority}`);
  const look = cx(
    "inline-flex h-[19px] items-center gap-1 rounded-sm px-1 text-xs font-medium [&>svg]:size-3",
    priority === "high" ? "text-ink" : "text-ink-3",
  );
  if (!onChange) {
    return (
      <span className={look}>
        {ICONS[priority]}
        {word}
      </span>
    );
  }
  return (
    <Menu
      align="end"
      trigger={
        <button
          type="button"
          aria-label={t("goal.todos.priorityOf", { title, priority: word })}
          className={cx(look, "transition-colors hover:bg-sunken hover:text-ink data-[state=open]:bg-sunken")}
        >
          {ICONS[priority]}
          {word}
        </button>
      }
      items={() =>
        ORDER.map((one) => ({
          id: one,
          label: t(`goal.todos.priority.${one}`),
          icon: ICONS[one],
          aside: one === priority ? <Check aria-hidden className="size-3.5" /> : undefined,
          onSelect: () => onChange(one),
        }))
      }
    />
  );
}
