/**
 * Durations and moments as people read them. Pure but for the words, which come from the `shared` catalogue.
 * Numbers are written for tabular figures: one decimal below ten seconds, whole seconds above.
 */
import { t } from "@/i18n";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Milliseconds as "0.1 s", "12 s", "3 min 5 s", "1 h 4 min". */
export function formatDuration(milliseconds: number): string {
  const ms = Math.max(0, milliseconds);
  if (ms < 9_950) return t("shared.duration.milliseconds", { n: (ms / 1000).toFixed(1) });
  return formatWholeSeconds(Math.round(ms / 1000));
}

/** An elapsed time that still runs: whole seconds from the start, so that it does not flicker. */
export function formatElapsed(milliseconds: number): string {
  return formatWholeSeconds(Math.floor(Math.max(0, milliseconds) / 1000));
}

/** A guess in seconds, as "about 4 s". */
export function formatEstimate(seconds: number): string {
  return t("shared.duration.about", { duration: formatWholeSeconds(Math.max(1, Math.round(seconds))) });
}

function formatWholeSeconds(total: number): string {
  if (total < 60) return t("shared.duration.seconds", { n: total });
  const hours = Math.floor(total / 3600);
  const minutes = Math.floor((total % 3600) / 60);
  const seconds = total % 60;
  if (hours > 0) return t("shared.duration.hours", { h: hours, m: minutes });
  return seconds === 0
    ? t("shared.duration.minutesOnly", { m: minutes })
    : t("shared.duration.minutes", { m: minutes, s: seconds });
}

/** How long a finished thing took, from two RFC 3339 times, in milliseconds. */
export function millisecondsBetween(start: string, end: string): number {
  return Math.max(0, Date.parse(end) - Date.parse(start));
}

/** An RFC 3339 time as "just now", "5 minutes ago", "yesterday"; older than a week as a date. */
export function formatRelative(time: string, now: number = Date.now()): string {
  const age = Math.max(0, now - Date.parse(time));
  if (age < MINUTE) return t("shared.relative.now");
  if (age < HOUR) return t("shared.relative.minutes", { count: Math.floor(age / MINUTE) });
  if (age < DAY) return t("shared.relative.hours", { count: Math.floor(age / HOUR) });
  const days = Math.floor(age / DAY);
  if (days === 1) return t("shared.relative.yesterday");
  if (days < 7) return t("shared.relative.days", { count: days });
  return new Intl.DateTimeFormat(undefined, { dateStyle: "medium" }).format(Date.parse(time));
}

/** A size in KiB, as "12 KB", "3.6 MB", "1.2 GB". */
export function formatSize(kib: number): string {
  if (kib < 1024) return t("shared.size.kilobytes", { n: kib });
  const megabytes = kib / 1024;
  if (megabytes < 1024) return t("shared.size.megabytes", { n: megabytes.toFixed(1) });
  return t("shared.size.gigabytes", { n: (megabytes / 1024).toFixed(1) });
}

/** A moment to come as "in 30 days"; what is closer than a day, or past, as "within a day". */
export function formatAhead(time: string, now: number = Date.now()): string {
  const days = Math.round((Date.parse(time) - now) / DAY);
  return days < 1 ? t("shared.relative.within") : t("shared.relative.inDays", { count: days });
}

// To make one takes a hundred times as long as to use it.
const CLOCK = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const DOLLARS = new Intl.NumberFormat("en-US", { style: "currency", currency: "USD" });

/** The clock time of an RFC 3339 time, as "14:02". */
export function formatClock(time: string): string {
  return CLOCK.format(Date.parse(time));
}

const MICROS = 1_000_000;

/** Money in millionths of a US dollar, as "$0.03"; what is less than a cent says so. */
export function formatMoney(micros: number): string {
  const cent = MICROS / 100;
  if (micros > 0 && micros < cent) return t("shared.money.lessThan", { amount: DOLLARS.format(0.01) });
  return DOLLARS.format(micros / MICROS);
}

/** A number of tokens as "840", "12.4k", "1.2M". */
export function formatTokens(count: number): string {
  if (count < 1_000) return String(count);
  // What would round up to a thousand thousands is a million.
  if (count < 999_500) return t("shared.tokens.thousands", { n: short(count / 1_000) });
  return t("shared.tokens.millions", { n: short(count / 1_000_000) });
}

/** One decimal below a hundred, where it says something. */
function short(value: number): string {
  return value < 100 ? String(Math.round(value * 10) / 10) : String(Math.round(value));
}

/** "512 bytes", "1.5 MB"; steps of a thousand. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return t("shared.bytes", { count: bytes });
  const [size, unit] =
    bytes < 1e6 ? [bytes / 1e3, "kB"] : bytes < 1e9 ? [bytes / 1e6, "MB"] : [bytes / 1e9, "GB"];
  return `${size.toFixed(size < 10 ? 1 : 0)} ${unit}`;
}
