/** What no answer and no rule allows, why, and what to do instead. */
import { Ban } from "lucide-react";
import { t } from "@/i18n";
import { Details } from "@/shared/Details";

/** In the order of `docs/blocked.md`. */
const ITEMS = [
  "wipe",
  "move",
  "open",
  "disk",
  "bomb",
  "accounts",
  "essential",
  "everything",
  "kernel",
  "protections",
] as const;

export function Floor() {
  return (
    <section aria-label={t("permissions.floor.title")} className="mt-10 pb-4">
      <Details
        summary={
          <span className="flex items-center gap-2 font-medium text-ink">
            <Ban aria-hidden className="size-3.5 text-ink-3" />
            {t("permissions.floor.title")}
          </span>
        }
      >
        <p className="text-ink-2">{t("permissions.floor.text")}</p>
        <ul className="mt-2 grid gap-3">
          {ITEMS.map((item) => (
            <li key={item}>
              <p className="font-medium text-ink">{t(`permissions.floor.items.${item}.what`)}</p>
              <p className="text-ink-2">
                {t(`permissions.floor.items.${item}.why`)} {t("permissions.floor.way")}{" "}
                {t(`permissions.floor.items.${item}.way`)}
              </p>
            </li>
          ))}
        </ul>
      </Details>
    </section>
  );
}
