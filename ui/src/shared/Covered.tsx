/**
 * Which past commands a rule would have covered, to be seen before it is made. Asked for when it is shown; whatever comes
 * of it, nothing waits for it.
 */
import { useEffect, useState } from "react";
import { t } from "@/i18n";
import type { EngineError, GrantLifetime, GrantPreview, GrantRule, SessionId } from "@/ipc/bindings";
import { toEngineError, useHost } from "@/ipc/host";
import { AboutError } from "./AboutError";
import { CommandText } from "./CommandText";
import { Details } from "./Details";
import { formatRelative } from "./format";
import { Spinner } from "./Spinner";
import { shortPath } from "./steps";

type Preview =
  | { type: "loading" }
  | { type: "made"; preview: GrantPreview }
  | { type: "failed"; error: EngineError };

type Props = {
  rule: GrantRule;
  lifetime: GrantLifetime;
  /** Where a rule for a run, a session or a folder would hold. */
  sessionId: SessionId | null;
  /** The rule refuses. */
  never?: boolean;
  /** The list stands open at once. */
  open?: boolean;
};

export function Covered({ rule, lifetime, sessionId, never = false, open = false }: Props) {
  const found = usePreview(rule, lifetime, sessionId);
  return (
    <div role="status" className="min-h-[18px] text-sm text-ink-2">
      {found.type === "loading" ? (
        <p className="flex items-center gap-2 text-ink-3">
          <Spinner />
          {t("shared.covered.loading")}
        </p>
      ) : found.type === "failed" ? (
        <p className="text-ink-3">
          {t("shared.covered.failed", { why: found.error.message })} <AboutError code={found.error.code} />
        </p>
      ) : (
        <Found preview={found.preview} never={never} open={open} />
      )}
    </div>
  );
}

function usePreview(rule: GrantRule, lifetime: GrantLifetime, sessionId: SessionId | null): Preview {
  const host = useHost();
  const [found, setFound] = useState<Preview>({ type: "loading" });
  // A rule is a value: the same one made anew is not asked about again.
  const key = JSON.stringify(rule);
  useEffect(() => {
    let live = true;
    setFound({ type: "loading" });
    host.previewGrant(JSON.parse(key) as GrantRule, sessionId, lifetime).then(
      (preview) => live && setFound({ type: "made", preview }),
      (thrown) => live && setFound({ type: "failed", error: toEngineError(thrown) }),
    );
    return () => {
      live = false;
    };
  }, [host, key, lifetime, sessionId]);
  return found;
}

function Found({ preview, never, open }: { preview: GrantPreview; never: boolean; open: boolean }) {
  const { covered, more, lookedAt } = preview;
  if (lookedAt === 0) return <p>{t("shared.covered.nothingYet")}</p>;
  const count = covered.length + more;
  if (count === 0)
    return <p>{t(never ? "shared.covered.refusedNone" : "shared.covered.none", { lookedAt })}</p>;
  return (
    <Details
      open={open}
      summary={t(never ? "shared.covered.refused" : "shared.covered.some", { covered: count, lookedAt })}
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a pane that scrolls has to be reachable with the keyboard. */}
      <div tabIndex={0} className="max-h-44 overflow-y-auto rounded-sm border border-line bg-panel">
        <ul aria-label={t("shared.covered.list")} className="divide-y divide-line">
          {covered.map((past) => (
            <li key={`${past.cwd}\n${past.command}`} className="px-2.5 py-1.5">
              <CommandText command={past.command} className="line-clamp-3 text-ink" />
              <p className="text-xs text-ink-3">
                {shortPath(past.cwd)} · {t("shared.covered.times", { count: past.times })} ·{" "}
                {formatRelative(past.lastAt)}
              </p>
            </li>
          ))}
          {more > 0 ? (
            <li className="px-2.5 py-1.5 text-xs text-ink-3">{t("shared.covered.more", { count: more })}</li>
          ) : null}
        </ul>
      </div>
    </Details>
  );
}
