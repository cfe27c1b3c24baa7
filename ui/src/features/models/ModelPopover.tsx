/* Which models answer, what this session has used of them, and the way to change either. */
import { Settings2, TriangleAlert } from "lucide-react";
import { type ReactElement, type ReactNode, useState } from "react";
import { t } from "@/i18n";
import type { ModelInfo, ModelStatus, Usage } from "@/ipc/bindings";
import { Button } from "@/shared/Button";
import { cx } from "@/shared/cx";
import { formatMoney, formatTokens } from "@/shared/format";
import { Popover } from "@/shared/Popover";
import { ProgressBar } from "@/shared/ProgressBar";
import { type SettingsPart, useApp } from "@/state/store";
import { type CapUse, capsOf, nearest, nearnessOf } from "./use";

export function ModelPopover({ trigger }: { trigger: ReactElement }) {
  const [open, setOpen] = useState(false);
  const showSettings = useApp((store) => store.showSettings);
  const go = (part: SettingsPart) => {
    setOpen(false);
    showSettings(part);
  };
  return (
    <Popover trigger={trigger} label={t("models.meter.open")} open={open} onOpenChange={setOpen}>
      <Contents onChangeModel={() => go("models")} onChangeCaps={() => go("caps")} />
    </Popover>
  );
}

type ContentsProps = { onChangeModel: () => void; onChangeCaps: () => void };

function Contents({ onChangeModel, onChangeCaps }: ContentsProps) {
  const status = useApp((store) => store.models);
  const settings = useApp((store) => store.settings);
  const usage = useApp((store) => store.session?.usage) ?? {};
  const caps = capsOf(usage, settings);
  const near = nearest(caps);
  return (
    <div className="grid w-72 max-w-full gap-3">
      <Models status={status} />
      {status?.problem ? (
        <p className="flex gap-2 rounded-sm bg-caution-tint px-2.5 py-2 text-ink">
          <TriangleAlert aria-hidden className="mt-px size-3.5 shrink-0 text-caution" />
          <span className="min-w-0 wrap-anywhere">{status.problem}</span>
        </p>
      ) : null}
      <Used usage={usage} />
      {caps.map((cap) => (
        <CapBar key={cap.kind} cap={cap} />
      ))}
      {near === "free" ? null : (
        <p className={cx("font-semibold", near === "reached" ? "text-danger" : "text-caution")}>
          {t(`models.meter.${near}`)}
        </p>
      )}
      <div className="flex flex-wrap gap-2 border-t border-line pt-3">
        <Button size="sm" icon={<Settings2 aria-hidden />} onClick={onChangeModel}>
          {t("models.meter.change")}
        </Button>
        {caps.length > 0 ? (
          <Button size="sm" variant="ghost" onClick={onChangeCaps}>
            {t("models.meter.raise")}
          </Button>
        ) : null}
      </div>
    </div>
  );
}

function Models({ status }: { status: ModelStatus | null }) {
  const main = status?.main ?? null;
  const stronger = status?.stronger ?? null;
  return (
    <div className="grid gap-2">
      {main ? (
        <Model
          name={t("models.meter.main")}
          info={main}
          note={status?.fromEnvironment ? t("models.meter.environment") : null}
        />
      ) : (
        <div>
          <p className="font-semibold text-ink">{t("models.meter.rulesOnly")}</p>
          <p className="text-ink-2">{t("models.meter.rulesOnlyText")}</p>
        </div>
      )}
      {stronger ? (
        <Model name={t("models.meter.stronger")} info={stronger} note={t("models.meter.strongerText")} />
      ) : null}
    </div>
  );
}

function Model({ name, info, note }: { name: string; info: ModelInfo; note: string | null }) {
  const facts = [
    t(`models.provider.${info.provider === "local" ? "localShort" : info.provider}`),
    info.contextTokens === null
      ? null
      : t("models.meter.context", { tokens: formatTokens(info.contextTokens) }),
    note,
  ].filter((fact) => fact !== null);
  return (
    <div className="grid grid-cols-[4.5rem_1fr] gap-x-2">
      <span className="text-ink-3">{name}</span>
      <div className="min-w-0">
        <p className="font-semibold wrap-anywhere text-ink">{info.model}</p>
        <p className="text-xs text-ink-3">{facts.join(" · ")}</p>
      </div>
    </div>
  );
}

function Used({ usage }: { usage: Usage }) {
  const calls = usage.calls ?? 0;
  const cached = usage.cachedTokens ?? 0;
  return (
    <section aria-label={t("models.meter.thisSession")} className="grid gap-1.5 border-t border-line pt-3">
      <h3 className="flex justify-between text-xs font-medium text-ink-3">
        {t("models.meter.thisSession")}
        {calls > 0 ? <span className="tabular-nums">{t("models.meter.calls", { count: calls })}</span> : null}
      </h3>
      {calls === 0 ? (
        <p className="text-ink-2">{t("models.meter.noSession")}</p>
      ) : (
        <dl className="grid gap-1">
          <Figure name={t("models.meter.input")}>{formatTokens(usage.inputTokens ?? 0)}</Figure>
          {cached > 0 ? (
            <Figure name={t("models.meter.cached")} quiet>
              {formatTokens(cached)}
            </Figure>
          ) : null}
          <Figure name={t("models.meter.output")}>{formatTokens(usage.outputTokens ?? 0)}</Figure>
          <Cost usage={usage} />
        </dl>
      )}
    </section>
  );
}

/** A price is never made up: calls whose price is not known are counted beside it. */
function Cost({ usage }: { usage: Usage }) {
  const unpriced = usage.unpricedCalls ?? 0;
  const nonePriced = unpriced >= (usage.calls ?? 0);
  return (
    <>
      <Figure name={t("models.meter.cost")}>
        {nonePriced ? t("models.meter.costUnknown") : formatMoney(usage.costMicros ?? 0)}
      </Figure>
      {unpriced > 0 && !nonePriced ? (
        <Figure name={t("models.meter.unpriced", { count: unpriced })} quiet>
          {null}
        </Figure>
      ) : null}
    </>
  );
}

function Figure({ name, quiet = false, children }: { name: string; quiet?: boolean; children: ReactNode }) {
  return (
    <div className={cx("flex justify-between gap-4", quiet && "pl-3")}>
      <dt className={quiet ? "text-ink-3" : "text-ink-2"}>{name}</dt>
      <dd className={cx("text-right tabular-nums", quiet ? "text-ink-3" : "font-medium text-ink")}>
        {children}
      </dd>
    </div>
  );
}

const TONE = { free: "safe", near: "caution", reached: "danger" } as const;

function CapBar({ cap }: { cap: CapUse }) {
  const name = t(cap.kind === "tokens" ? "models.meter.capTokens" : "models.meter.capCost");
  const shown = cap.kind === "tokens" ? formatTokens : formatMoney;
  return (
    <div className="grid gap-1">
      <div className="flex justify-between gap-4">
        <span className="text-ink-2">{name}</span>
        <span className="text-ink tabular-nums">
          {t("models.meter.of", { used: shown(cap.used), allowed: shown(cap.allowed) })}
        </span>
      </div>
      <ProgressBar label={name} value={cap.used} max={cap.allowed} tone={TONE[nearnessOf(cap)]} />
    </div>
  );
}
