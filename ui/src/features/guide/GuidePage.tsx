/* The rules of the field guide with what came of them on this machine, and the way to forget that. */
import { BookOpen } from "lucide-react";
import { useCallback, useEffect, useMemo, useState } from "react";
import { toast } from "sonner";
import { t } from "@/i18n";
import type { GuideRule } from "@/ipc/bindings";
import { useHost } from "@/ipc/host";
import { Button } from "@/shared/Button";
import { EmptyState } from "@/shared/EmptyState";
import { SearchField } from "@/shared/SearchField";
import { Segmented } from "@/shared/Segmented";
import { useApp } from "@/state/store";

const PARTS = ["used", "own", "all"] as const;
type Part = (typeof PARTS)[number];

export function GuidePage() {
  const host = useHost();
  const attempt = useApp((store) => store.attempt);
  const [rules, setRules] = useState<GuideRule[] | null>(null);
  const [part, setPart] = useState<Part>("used");
  const [query, setQuery] = useState("");
  const read = useCallback(async () => {
    const found = await attempt(() => host.guideRules());
    if (found) setRules(found);
  }, [attempt, host]);
  useEffect(() => void read(), [read]);
  const forget = async (rule: string | null) => {
    const done = await attempt(async () => {
      await host.forgetExperience(rule);
      return true;
    });
    if (!done) return;
    await read();
    toast.success(t("guide.forgotten"));
  };
  const found = useMemo(() => rulesOf(rules ?? [], part, query), [rules, part, query]);
  return (
    <main className="pane min-w-0 flex-1 overflow-auto bg-panel px-8 py-8">
      <div className="mx-auto max-w-[680px]">
        <header className="flex flex-wrap items-center gap-x-4 gap-y-2">
          <h1 className="min-w-52 flex-1 text-xl font-semibold tracking-tight">{t("guide.title")}</h1>
          <Segmented<Part>
            label={t("guide.show.label")}
            value={part}
            segments={PARTS.map((value) => ({ value, label: t(`guide.show.${value}`) }))}
            onChange={setPart}
          />
        </header>
        <p className="text-ink-2">{t("guide.intro")}</p>
        <SearchField label={t("guide.search")} value={query} onChange={setQuery} className="mt-5" />
        {rules === null ? null : found.length === 0 ? (
          <Nothing part={query.trim() === "" ? part : "all"} />
        ) : (
          <>
            <div className="mt-5 flex min-h-7 items-center justify-between gap-4">
              <p role="status" className="text-sm text-ink-3">
                {t("guide.count", { count: found.length })}
              </p>
              {part === "used" ? (
                <Button size="sm" variant="ghost" onClick={() => void forget(null)}>
                  {t("guide.forgetAll")}
                </Button>
              ) : null}
            </div>
            <ul aria-label={t("guide.title")} className="mt-1 border-t border-line">
              {found.map((rule) => (
                <Rule key={rule.id} rule={rule} onForget={() => void forget(rule.id)} />
              ))}
            </ul>
          </>
        )}
      </div>
    </main>
  );
}

function Rule({ rule, onForget }: { rule: GuideRule; onForget(): void }) {
  const tried = triedOf(rule);
  return (
    <li className="flex items-center gap-4 border-b border-line py-2.5">
      <div className="min-w-0 flex-1">
        <p>{rule.title}</p>
        <p className="truncate text-sm text-ink-3">
          <code>{rule.id}</code>
          {rule.own ? ` · ${t("guide.own")}` : null}
        </p>
      </div>
      {tried > 0 ? (
        <>
          <span className="shrink-0 text-sm text-ink-2 tabular-nums">
            {t("guide.record", { helped: rule.helped, tried })}
          </span>
          <Button size="sm" aria-label={t("guide.forgetLabel", { title: rule.title })} onClick={onForget}>
            {t("guide.forget")}
          </Button>
        </>
      ) : null}
    </li>
  );
}

function Nothing({ part }: { part: Part }) {
  if (part === "all")
    return (
      <p role="status" className="mt-6 text-ink-2">
        {t("guide.none.all")}
      </p>
    );
  return (
    <div className="mt-6 rounded-md border border-dashed border-line">
      <EmptyState icon={<BookOpen aria-hidden />} title={t(`guide.none.${part}`)}>
        {t(`guide.noneText.${part}`)}
      </EmptyState>
    </div>
  );
}

/** Those that were tried most come first; the others stay in the guide's order. */
function rulesOf(rules: GuideRule[], part: Part, query: string): GuideRule[] {
  const wanted = query.trim().toLowerCase();
  return rules
    .filter((rule) => part === "all" || (part === "own" ? rule.own : triedOf(rule) > 0))
    .filter((rule) => `${rule.id} ${rule.title}`.toLowerCase().includes(wanted))
    .sort((a, b) => triedOf(b) - triedOf(a));
}

function triedOf({ helped, failed }: GuideRule): number {
  return helped + failed;
}
