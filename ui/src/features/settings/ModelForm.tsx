/* One model's choice: nobody, a provider, or a server by its address. What belongs to the choice opens under it. */
import { useId, useRef } from "react";
import { t } from "@/i18n";
import type { ModelChoice, ProviderKind } from "@/ipc/bindings";
import { cx } from "@/shared/cx";
import type { Keys } from "./ModelsSection";
import { ProviderFields } from "./ProviderFields";

const PROVIDERS: ProviderKind[] = ["anthropic", "openai", "moonshot", "local"];

type Props = {
  which: "main" | "stronger";
  value: ModelChoice | null;
  keys: Keys;
  onChange: (choice: ModelChoice | null) => void;
};

export function ModelForm({ which, value, keys, onChange }: Props) {
  /** What was entered for the others, so that looking at another provider loses nothing. */
  const left = useRef(new Map<ProviderKind, ModelChoice>());
  if (value) left.current.set(value.provider, value);
  const choose = (provider: ProviderKind) =>
    onChange(left.current.get(provider) ?? { provider, baseUrl: null, model: null });
  const none =
    which === "main"
      ? { name: t("models.provider.none"), text: t("models.providerText.none") }
      : { name: t("models.stronger.none"), text: t("models.stronger.noneText") };
  const group = useId();
  return (
    <fieldset className="min-w-0 overflow-clip rounded-md border border-line bg-raised shadow-1">
      <legend className="sr-only">{t(`models.${which}.title`)}</legend>
      <Option group={group} {...none} checked={value === null} onChoose={() => onChange(null)} />
      {PROVIDERS.map((provider) => {
        const chosen = value?.provider === provider ? value : null;
        return (
          <div key={provider} className="border-t border-line">
            <Option
              group={group}
              name={t(`models.provider.${provider}`)}
              text={t(`models.providerText.${provider}`)}
              checked={chosen !== null}
              onChoose={() => choose(provider)}
            />
            {chosen ? (
              <div className="px-4 pt-1 pb-4 pl-11">
                <ProviderFields choice={chosen} keys={keys} onChange={onChange} />
              </div>
            ) : null}
          </div>
        );
      })}
    </fieldset>
  );
}

type OptionProps = { group: string; name: string; text: string; checked: boolean; onChoose: () => void };

function Option({ group, name, text, checked, onChoose }: OptionProps) {
  const textId = useId();
  return (
    <label className="flex items-start gap-3 px-4 py-3 transition-colors hover:bg-panel">
      <input
        type="radio"
        name={group}
        aria-label={name}
        aria-describedby={textId}
        checked={checked}
        onChange={onChoose}
        className="mt-[3px] size-4 shrink-0 accent-(--ink)"
      />
      <span className="min-w-0">
        <span className={cx("block", checked ? "font-semibold text-ink" : "font-medium text-ink")}>
          {name}
        </span>
        <span id={textId} className="block text-sm text-ink-3">
          {text}
        </span>
      </span>
    </label>
  );
}
