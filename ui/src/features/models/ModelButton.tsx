/* The model's name as a button: in the composer, and with what the session has spent in the status bar. */
import { ChevronDown, Cpu, TriangleAlert } from "lucide-react";
import type { ComponentProps } from "react";
import { t } from "@/i18n";
import { cx } from "@/shared/cx";
import { formatMoney, formatTokens } from "@/shared/format";
import { useApp } from "@/state/store";
import { ModelPopover } from "./ModelPopover";
import { capsOf, nearest, tokensOf } from "./use";

/** For the composer. */
export function ModelButton({ className }: { className?: string }) {
  const name = useShownName();
  const tint = useTint();
  return (
    <ModelPopover
      trigger={
        <Trigger
          name={name}
          className={cx(
            "h-[26px] max-w-56 gap-1 rounded-sm px-2 text-sm",
            tint ?? "text-ink-3 hover:bg-sunken hover:text-ink",
            className,
          )}
        >
          <span className="truncate">{name}</span>
          <ChevronDown aria-hidden className="size-3 shrink-0" />
        </Trigger>
      }
    />
  );
}

/** For the status bar: the name, and what this session has used. */
export function ModelMeter() {
  const name = useShownName();
  const troubled = useApp((store) => Boolean(store.models?.problem));
  const usage = useApp((store) => store.session?.usage);
  const tint = useTint();
  const spent = usage && (usage.calls ?? 0) > 0 ? spentOf(usage) : null;
  return (
    <ModelPopover
      trigger={
        <Trigger
          name={[name, troubled && t("models.meter.unusable"), spent].filter(Boolean).join(", ")}
          className={cx(
            "-mx-1.5 h-[19px] gap-1.5 rounded-xs px-1.5 text-xs",
            tint ?? "text-ink-2 hover:bg-sunken hover:text-ink",
          )}
        >
          {troubled ? <TriangleAlert aria-hidden className="text-caution" /> : <Cpu aria-hidden />}
          <span className="max-w-48 truncate">{name}</span>
          {spent ? <span className="tabular-nums">· {spent}</span> : null}
        </Trigger>
      }
    />
  );
}

function Trigger({ name, className, ...rest }: ComponentProps<"button"> & { name: string }) {
  return (
    <button
      type="button"
      aria-label={t("models.meter.openNamed", { model: name })}
      className={cx("inline-flex min-w-0 items-center font-medium transition-colors", className)}
      {...rest}
    />
  );
}

function useShownName(): string {
  const main = useApp((store) => store.models?.main?.model);
  // Until the engine has said it, what it said of itself at the start.
  const atStart = useApp((store) => (store.models === null ? store.info?.model : null));
  return main ?? atStart ?? t("models.meter.rulesOnly");
}

/** Nothing to see until a limit is near. */
function useTint(): string | null {
  const near = useApp((store) => nearest(capsOf(store.session?.usage ?? {}, store.settings)));
  switch (near) {
    case "free":
      return null;
    case "near":
      return "bg-caution-tint text-caution";
    case "reached":
      return "bg-danger-tint text-danger";
  }
}

/** Money where it is known, tokens where it is not. */
function spentOf(usage: Parameters<typeof tokensOf>[0]): string {
  const priced = (usage.unpricedCalls ?? 0) < (usage.calls ?? 0);
  return priced
    ? formatMoney(usage.costMicros ?? 0)
    : t("models.test.contextTokens", { tokens: formatTokens(tokensOf(usage)) });
}
