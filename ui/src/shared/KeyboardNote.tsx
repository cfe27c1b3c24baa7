/** A part of a command that wants a person at a keyboard: said before it runs, with what to do instead. */
import { Keyboard } from "lucide-react";
import { t } from "@/i18n";
import type { KeyboardNeed } from "@/ipc/bindings";

export function KeyboardNote({ need }: { need: KeyboardNeed | null | undefined }) {
  if (!need) return null;
  const { effect, fragment, wants, instead } = need;
  return (
    <p className="mt-1 flex items-start gap-2 text-sm text-ink-2">
      <Keyboard aria-hidden className="mt-0.5 size-3.5 shrink-0 text-caution" />
      <span className="min-w-0 wrap-anywhere">
        <span className="font-semibold text-ink">{t("shared.keyboard.title")}</span>{" "}
        {t(effect === "not-started" ? "shared.keyboard.notStarted" : "shared.keyboard.answersNo", {
          fragment,
          wants,
        })}{" "}
        {instead}
      </span>
    </p>
  );
}
