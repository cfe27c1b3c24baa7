/** What a remembered answer covers, where and how long, in words; and which of them still count. Pure. */
import { t } from "@/i18n";
import type { Grant, GrantRule, SessionState, SessionSummary } from "@/ipc/bindings";
import { formatAhead, formatRelative } from "@/shared/format";
import { shortPath } from "@/shared/steps";

export type Part = "allowed" | "refused" | "ended";

/** What the window knows of the places that rules are bound to. */
export type Places = { sessions: SessionSummary[]; shown: SessionState | null };

export function partOf(grant: Grant, places: Places, now: number): Part {
  if (grant.expiresAt && Date.parse(grant.expiresAt) <= now) return "ended";
  if (grant.lifetime === "session" && !titleOf(grant, places)) return "ended";
  return grant.allow ? "allowed" : "refused";
}

/** How the rule reads: what kind it is, and the literal text that it works by. */
export function ruleInWords(rule: GrantRule): { kind: string; text: string } {
  switch (rule.type) {
    case "exact":
      return { kind: t("permissions.exact"), text: rule.command };
    case "program":
      return { kind: t("permissions.program"), text: rule.words.join(" ") };
    case "tool":
      return { kind: t("permissions.tool"), text: rule.tool };
  }
}

/** Where the rule holds. */
export function placeInWords(grant: Grant, places: Places): string {
  const title = titleOf(grant, places);
  switch (grant.lifetime) {
    case "run":
      return title ? t("permissions.lifetime.runOf", { title }) : t("permissions.lifetime.run");
    case "session":
      return title ? t("permissions.lifetime.sessionOf", { title }) : t("permissions.lifetime.session");
    case "folder":
      return t("permissions.lifetime.folder", { folder: shortPath(grant.boundTo) });
    case "always":
      return t("permissions.lifetime.always");
  }
}

/** The session that a rule for a session or a run belongs to. */
function titleOf(grant: Grant, { sessions, shown }: Places): string | undefined {
  if (grant.lifetime === "run") return shown?.plan?.id === grant.boundTo ? shown.title : undefined;
  return sessions.find((session) => session.id === grant.boundTo)?.title;
}

/** How often and when it decided. */
export function usesInWords({ uses = 0, lastUsedAt }: Grant): string {
  if (!lastUsedAt) return t("permissions.neverUsed");
  const when = formatRelative(lastUsedAt);
  // Rules of an older version were not counted.
  return uses > 0 ? t("permissions.used", { count: uses, when }) : t("permissions.lastUsed", { when });
}

/** When it ends, or ended; null for one that does not end by itself. */
export function endInWords({ expiresAt }: Grant, now: number): string | null {
  if (!expiresAt) return null;
  return Date.parse(expiresAt) <= now
    ? t("permissions.endedAt", { when: formatRelative(expiresAt, now) })
    : t("permissions.ends", { when: formatAhead(expiresAt, now) });
}

/** Whether all words that are looked for stand in the rule or in where it holds. */
export function matches(grant: Grant, query: string, places: Places): boolean {
  const { kind, text } = ruleInWords(grant.rule);
  const whole = `${kind} ${text} ${placeInWords(grant, places)}`.toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => whole.includes(word));
}
