/** By which a step of a draft is moved: with the pointer, or with Alt and the arrow keys. The list does the moving. */
import { GripVertical } from "lucide-react";
import { useId } from "react";
import { t } from "@/i18n";

type Props = { title: string; place: number; count: number };

export function StepGrip({ title, place, count }: Props) {
  const hint = useId();
  return (
    <>
      <button
        type="button"
        data-grip
        aria-label={t("plan.draft.grip", { title })}
        aria-describedby={hint}
        aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown Delete"
        title={t("plan.draft.gripPlace", { place, count })}
        className="absolute top-2 left-1 flex h-[22px] w-5 cursor-grab touch-none items-center justify-center rounded-xs text-line-strong transition-colors group-hover/row:text-ink-3 hover:bg-sunken focus-visible:text-ink-3 active:cursor-grabbing"
      >
        <GripVertical aria-hidden className="size-3.5" />
      </button>
      <span id={hint} hidden>
        {t("plan.draft.gripPlace", { place, count })}
      </span>
    </>
  );
}
