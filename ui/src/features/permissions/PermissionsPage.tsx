/* What was allowed or refused for longer than once: each rule literally, where and how long it holds, what it covered, and
   the way to take it back. */
import { ShieldCheck, SlidersHorizontal } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { t } from "@/i18n";
import type { Grant } from "@/ipc/bindings";
import { Button } from "@/shared/Button";
import { EmptyState } from "@/shared/EmptyState";
import { useNow } from "@/shared/hooks";
import { SearchField } from "@/shared/SearchField";
import { useApp } from "@/state/store";
import { AddNever } from "./AddNever";
import { Floor } from "./Floor";
import { GrantRow } from "./GrantRow";
import { matches, type Part, type Places, partOf } from "./rules";

/** How often it is looked whether a rule has ended. */
const EVERY_MS = 60_000;

export function PermissionsPage() {
  const grants = useApp((store) => store.grants);
  const sessions = useApp((store) => store.sessions);
  const shown = useApp((store) => store.session);
  const refresh = useApp((store) => store.refreshGrants);
  const showSettings = useApp((store) => store.showSettings);
  const [query, setQuery] = useState("");
  const now = useNow(true, EVERY_MS);
  useEffect(() => void refresh(), [refresh]);

  const places: Places = { sessions, shown };
  const found = grants.filter((grant) => matches(grant, query.trim(), places));
  const list = (part: Part) => {
    const rows = found.filter((grant) => partOf(grant, places, now) === part).sort(byUse);
    if (rows.length === 0) return null;
    return (
      <ul aria-label={t(`permissions.list.${part}`)} className="border-t border-line">
        {rows.map((grant) => (
          <GrantRow key={grant.id} grant={grant} part={part} places={places} now={now} />
        ))}
      </ul>
    );
  };
  const [allowed, refused, ended] = [list("allowed"), list("refused"), list("ended")];
  const searching = query.trim() !== "";
  return (
    <main className="pane min-w-0 flex-1 overflow-auto bg-panel px-8 py-8">
      <div className="mx-auto max-w-[680px]">
        <header className="flex flex-wrap items-center gap-x-4 gap-y-2">
          <h1 className="min-w-52 flex-1 text-xl font-semibold tracking-tight">{t("permissions.title")}</h1>
          <Button
            size="sm"
            variant="ghost"
            icon={<SlidersHorizontal aria-hidden />}
            onClick={() => showSettings("safety")}
          >
            {t("permissions.settings")}
          </Button>
        </header>
        <p className="text-ink-2">{t("permissions.intro")}</p>
        {grants.length > 0 ? (
          <SearchField label={t("permissions.search")} value={query} onChange={setQuery} className="mt-5" />
        ) : null}
        {searching && found.length === 0 ? (
          <p role="status" className="mt-6 text-ink-2">
            {t("permissions.noneFound")}
          </p>
        ) : null}
        {allowed ? (
          <Section title={t("permissions.allowed")} text={t("permissions.allowedText")}>
            {allowed}
          </Section>
        ) : grants.some((grant) => grant.allow) ? null : (
          <div className="mt-6 rounded-md border border-dashed border-line">
            <EmptyState icon={<ShieldCheck aria-hidden />} title={t("permissions.none")}>
              {t("permissions.noneText")}
            </EmptyState>
          </div>
        )}
        {searching && !refused ? null : (
          <Section title={t("permissions.refused")} text={t("permissions.refusedText")}>
            {refused ?? (
              <p className="border-t border-line py-3 text-ink-3">{t("permissions.refusedNone")}</p>
            )}
            <div className="mt-3">
              <AddNever />
            </div>
          </Section>
        )}
        {ended ? (
          <Section title={t("permissions.ended")} text={t("permissions.endedText")}>
            {ended}
          </Section>
        ) : null}
        <Floor />
      </div>
    </main>
  );
}

function Section({ title, text, children }: { title: string; text: string; children: ReactNode }) {
  return (
    <section aria-label={title} className="mt-8">
      <h2 className="font-semibold">{title}</h2>
      <p className="pb-2.5 text-sm text-ink-3">{text}</p>
      {children}
    </section>
  );
}

/** What was of use last comes first. */
function byUse(a: Grant, b: Grant): number {
  return (b.lastUsedAt ?? b.createdAt).localeCompare(a.lastUsedAt ?? a.createdAt);
}
