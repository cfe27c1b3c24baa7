/* Under the words of a goal: what will show that it is reached, how many iterations it may take, what else it should know. */
import { useId } from "react";
import { t } from "@/i18n";
import type { ModelRole } from "@/ipc/bindings";
import { Segmented } from "@/shared/Segmented";
import type { Check } from "@/state/goalOptions";
import { useApp, useAppStore } from "@/state/store";

const CHECKS: Check[] = ["none", "command", "question"];
const MODELS: ModelRole[] = ["main", "stronger"];

export function GoalOptions() {
  const options = useApp((store) => store.goalOptions);
  const stronger = useApp((store) => Boolean(store.models?.stronger));
  const store = useAppStore();
  const label = useId();
  const set = (change: Partial<typeof options>) =>
    store.setState({ goalOptions: { ...store.getState().goalOptions, ...change } });
  return (
    <fieldset className="grid gap-2.5 border-t border-line px-4 pt-3 pb-2.5">
      <legend className="sr-only">{t("goal.set.options")}</legend>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <span id={label} className="w-24 shrink-0 text-sm text-ink-2">
          {t("goal.set.done")}
        </span>
        <Segmented
          label={t("goal.set.done")}
          value={options.check}
          segments={CHECKS.map((value) => ({ value, label: t(`goal.set.${value}`) }))}
          onChange={(check) => set({ check })}
        />
      </div>
      {options.check === "command" ? (
        <Field
          label={t("goal.set.commandField")}
          placeholder={t("goal.set.commandPlaceholder")}
          value={options.command}
          mono
          onChange={(command) => set({ command })}
        />
      ) : null}
      {options.check === "question" ? (
        <Field
          label={t("goal.set.questionField")}
          placeholder={t("goal.set.questionPlaceholder")}
          value={options.question}
          onChange={(question) => set({ question })}
        />
      ) : null}
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <span className="w-24 shrink-0 text-sm text-ink-2">{t("goal.set.iterations")}</span>
        <span className="inline-flex items-center gap-2 text-sm text-ink-2">
          <input
            type="text"
            inputMode="numeric"
            aria-label={`${t("goal.set.iterations")} ${t("goal.set.iterationsUnit")}`}
            value={options.iterations}
            onChange={(event) => set({ iterations: event.target.value })}
            className="h-7 w-14 rounded-sm border border-line-strong bg-panel px-2 text-right text-md text-ink tabular-nums"
          />
          {t("goal.set.iterationsUnit")}
        </span>
      </div>
      {stronger ? (
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
          <span className="w-24 shrink-0 text-sm text-ink-2">{t("goal.set.model")}</span>
          <Segmented
            label={t("goal.set.model")}
            value={options.model}
            segments={MODELS.map((value) => ({ value, label: t(`goal.set.${value}`) }))}
            onChange={(model) => set({ model })}
          />
        </div>
      ) : null}
      <Field
        label={t("goal.set.context")}
        placeholder={t("goal.set.contextPlaceholder")}
        value={options.context}
        onChange={(context) => set({ context })}
        shown
      />
    </fieldset>
  );
}

type FieldProps = {
  label: string;
  placeholder: string;
  value: string;
  mono?: boolean;
  /** Its label stands beside it. */
  shown?: boolean;
  onChange: (value: string) => void;
};

function Field({ label, placeholder, value, mono = false, shown = false, onChange }: FieldProps) {
  return (
    <label className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <span className={shown ? "w-24 shrink-0 text-sm text-ink-2" : "sr-only"}>{label}</span>
      {shown ? null : <span aria-hidden className="hidden w-24 shrink-0 sm:block" />}
      <input
        type="text"
        value={value}
        placeholder={placeholder}
        spellCheck={!mono}
        onChange={(event) => onChange(event.target.value)}
        className={`h-7 min-w-40 flex-1 rounded-sm border border-line-strong bg-panel px-2 text-ink placeholder:text-ink-3 ${mono ? "font-mono text-sm" : "text-md"}`}
      />
    </label>
  );
}
