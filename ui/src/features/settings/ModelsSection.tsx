/* Which models answer: the main one and, folded away, the stronger one. What the environment sets is only shown. */
import { ChevronRight, Terminal, TriangleAlert } from "lucide-react";
import { Collapsible } from "radix-ui";
import { useCallback, useEffect, useState } from "react";
import { t } from "@/i18n";
import type { KeyStatus, ModelChoice, ModelInfo } from "@/ipc/bindings";
import { useHost } from "@/ipc/host";
import { AboutError } from "@/shared/AboutError";
import { cx } from "@/shared/cx";
import { useApp } from "@/state/store";
import { Group } from "./controls";
import { ModelForm } from "./ModelForm";
import type { SectionProps } from "./sections";
import { TestConnection } from "./TestConnection";

export function ModelsSection({ settings, change }: SectionProps) {
  const status = useApp((store) => store.models);
  const keys = useKeyStatuses();
  const environment = status?.fromEnvironment ? status.main : null;
  return (
    <Group id="settings-models" title={t("models.title")}>
      <div className="py-3.5">
        <p className="font-medium">{t("models.main.title")}</p>
        <p className="text-sm text-ink-3">{t("models.main.text")}</p>
      </div>
      {status?.problem ? (
        <p
          role="alert"
          className="mb-3 flex gap-2.5 rounded-md border border-line bg-caution-tint px-3 py-2.5 text-ink"
        >
          <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-caution" />
          <span className="min-w-0 wrap-anywhere">
            {status.problem} <AboutError code="no-model" />
          </span>
        </p>
      ) : null}
      {environment ? (
        <EnvironmentModel info={environment} />
      ) : (
        <ModelForm
          which="main"
          value={settings.mainModel ?? null}
          keys={keys}
          onChange={(mainModel) => change({ mainModel })}
        />
      )}
      <StrongerModel
        value={settings.strongerModel ?? null}
        info={status?.stronger ?? null}
        keys={keys}
        onChange={(strongerModel) => change({ strongerModel })}
      />
    </Group>
  );
}

export type Keys = { statuses: KeyStatus[]; reload: () => Promise<void> };

function useKeyStatuses(): Keys {
  const host = useHost();
  const attempt = useApp((store) => store.attempt);
  const [statuses, setStatuses] = useState<KeyStatus[]>([]);
  const reload = useCallback(async () => {
    const found = await attempt(() => host.keyStatuses());
    if (found) setStatuses(found);
  }, [host, attempt]);
  useEffect(() => void reload(), [reload]);
  return { statuses, reload };
}

function EnvironmentModel({ info }: { info: ModelInfo }) {
  return (
    <div className="grid gap-3 rounded-md border border-line bg-raised p-4 shadow-1">
      <div className="flex gap-3">
        <Terminal aria-hidden className="mt-0.5 size-4 shrink-0 text-ink-3" />
        <div className="min-w-0 wrap-anywhere">
          <p className="font-semibold select-text">{info.model}</p>
          <p className="text-sm text-ink-3 select-text">
            {t(`models.provider.${info.provider === "local" ? "localShort" : info.provider}`)} ·{" "}
            <span className="font-mono">{info.baseUrl}</span>
          </p>
          <p className="mt-2 text-sm font-semibold">{t("models.environment.title")}</p>
          <p className="text-sm text-ink-2">{t("models.environment.text")}</p>
        </div>
      </div>
      <TestConnection choice={{ provider: info.provider, baseUrl: info.baseUrl, model: info.model }} />
    </div>
  );
}

type StrongerProps = {
  value: ModelChoice | null;
  info: ModelInfo | null;
  keys: Keys;
  onChange: (choice: ModelChoice | null) => void;
};

function StrongerModel({ value, info, keys, onChange }: StrongerProps) {
  const [open, setOpen] = useState(false);
  const named = info?.model ?? value?.model;
  const shown = value
    ? (named ?? t(`models.provider.${value.provider === "local" ? "localShort" : value.provider}`))
    : t("models.stronger.off");
  return (
    <Collapsible.Root open={open} onOpenChange={setOpen} className="mt-3 border-b border-line">
      <Collapsible.Trigger className="flex w-full items-center gap-2 rounded-sm py-3.5 text-left">
        <ChevronRight
          aria-hidden
          className={cx("size-3.5 shrink-0 text-ink-3 transition-[rotate]", open && "rotate-90")}
        />
        <span className="min-w-0 flex-1">
          <span className="block font-medium">{t("models.stronger.title")}</span>
          <span className="block text-sm text-ink-3">{t("models.stronger.text")}</span>
        </span>
        <span className={cx("max-w-60 truncate text-sm", value ? "text-ink" : "text-ink-3")}>{shown}</span>
      </Collapsible.Trigger>
      <Collapsible.Content className="pb-4">
        <ModelForm which="stronger" value={value} keys={keys} onChange={onChange} />
      </Collapsible.Content>
    </Collapsible.Root>
  );
}
