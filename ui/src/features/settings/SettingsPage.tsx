/* Settings, saved as they are changed. */
import { ChevronDown } from "lucide-react";
import { type ReactNode, useEffect, useId, useState } from "react";
import { t } from "@/i18n";
import type { Mode, OnFailure, Risk, Settings, Theme } from "@/ipc/bindings";
import { Segmented } from "@/shared/Segmented";
import { useApp } from "@/state/store";

/** The longest limit that can be set, in minutes: a day. */
const MAX_MINUTES = 1440;

type AskFrom = Extract<Risk, "caution" | "dangerous">;
type Led = Exclude<Mode, "fixer">;

export function SettingsPage() {
  const settings = useApp((store) => store.settings);
  const save = useApp((store) => store.saveSettings);
  const folder = useApp((store) => store.info?.dataFolder);
  if (!settings) return <main className="flex-1 bg-panel" />;
  const change = (part: Partial<Settings>) => void save({ ...settings, ...part });
  const mode = settings.defaultMode ?? "planner";
  return (
    <main className="min-w-0 flex-1 overflow-auto bg-panel px-8 py-8">
      <div className="mx-auto max-w-[680px]">
        <h1 className="text-xl font-semibold tracking-tight">{t("settings.title")}</h1>
        <p className="text-ink-2">{t("settings.intro")}</p>

        <Group title={t("settings.run")}>
          <Row title={t("settings.defaultMode")} text={t("settings.defaultModeText")}>
            <Segmented<Led>
              label={t("settings.defaultMode")}
              value={mode === "fixer" ? "planner" : mode}
              segments={[
                { value: "teacher", label: t("mode.teacher") },
                { value: "planner", label: t("mode.planner") },
                { value: "agentic", label: t("mode.agentic") },
              ]}
              onChange={(defaultMode) => change({ defaultMode })}
            />
          </Row>
          <Row title={t("settings.onFailure")} text={t("settings.onFailureText")}>
            <Choice<OnFailure>
              label={t("settings.onFailure")}
              value={settings.onFailure ?? "stop"}
              choices={[
                ["stop", t("settings.stop")],
                ["continue", t("settings.continue")],
              ]}
              onChange={(onFailure) => change({ onFailure })}
            />
          </Row>
          <Row title={t("settings.askFrom")} text={t("settings.askFromText")}>
            <Choice<AskFrom>
              label={t("settings.askFrom")}
              value={settings.askFrom === "caution" ? "caution" : "dangerous"}
              choices={[
                ["dangerous", t("settings.askDangerous")],
                ["caution", t("settings.askCaution")],
              ]}
              onChange={(askFrom) => change({ askFrom })}
            />
          </Row>
          <Row title={t("settings.wall")} text={t("settings.wallText")}>
            <Minutes
              label={t("settings.wall")}
              seconds={settings.wallSeconds ?? 3600}
              onChange={(wallSeconds) => change({ wallSeconds })}
            />
          </Row>
          <Row title={t("settings.silence")} text={t("settings.silenceText")}>
            <Minutes
              label={t("settings.silence")}
              seconds={settings.silenceSeconds ?? 900}
              onChange={(silenceSeconds) => change({ silenceSeconds })}
            />
          </Row>
        </Group>

        <Group title={t("settings.look")}>
          <Row title={t("settings.theme")} text={t("settings.themeText")}>
            <Segmented<Theme>
              label={t("settings.theme")}
              value={settings.theme ?? "system"}
              segments={[
                { value: "system", label: t("settings.system") },
                { value: "light", label: t("settings.light") },
                { value: "dark", label: t("settings.dark") },
                { value: "contrast", label: t("settings.contrast") },
              ]}
              onChange={(theme) => change({ theme })}
            />
          </Row>
        </Group>

        {folder ? (
          <Group title={t("settings.data")}>
            <p className="py-3 text-ink-2 select-text">{t("settings.dataText", { folder })}</p>
          </Group>
        ) : null}
      </div>
    </main>
  );
}

function Group({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title} className="mt-8">
      <h2 className="border-b border-line pb-2 text-xs font-medium text-ink-3">{title}</h2>
      {children}
    </section>
  );
}

function Row({ title, text, children }: { title: string; text: string; children: ReactNode }) {
  return (
    <div className="flex flex-wrap items-center gap-x-6 gap-y-2 border-b border-line py-3.5">
      <div className="min-w-52 flex-1">
        <p className="font-medium">{title}</p>
        <p className="text-sm text-ink-3">{text}</p>
      </div>
      {children}
    </div>
  );
}

const FIELD = "h-8 rounded-sm border border-line-strong bg-raised px-2.5 text-md text-ink shadow-1";

type ChoiceProps<T extends string> = {
  label: string;
  value: T;
  choices: [T, string][];
  onChange: (value: T) => void;
};

function Choice<T extends string>({ label, value, choices, onChange }: ChoiceProps<T>) {
  return (
    <span className="relative">
      <select
        aria-label={label}
        value={value}
        onChange={(event) => {
          const chosen = choices.find(([choice]) => choice === event.target.value);
          if (chosen) onChange(chosen[0]);
        }}
        className={`${FIELD} appearance-none pr-8`}
      >
        {choices.map(([choice, name]) => (
          <option key={choice} value={choice}>
            {name}
          </option>
        ))}
      </select>
      <ChevronDown
        aria-hidden
        className="pointer-events-none absolute top-2.5 right-2.5 size-3.5 text-ink-3"
      />
    </span>
  );
}

type MinutesProps = { label: string; seconds: number; onChange: (seconds: number) => void };

/** Saved when the field is left or Enter is pressed, and only when it holds a number that can be meant. */
function Minutes({ label, seconds, onChange }: MinutesProps) {
  const kept = String(Math.max(1, Math.round(seconds / 60)));
  const [text, setText] = useState(kept);
  const problemId = useId();
  useEffect(() => setText(kept), [kept]);
  const minutes = Number(text);
  const valid = Number.isInteger(minutes) && minutes >= 1 && minutes <= MAX_MINUTES;
  const commit = () => {
    if (valid && text !== kept) onChange(minutes * 60);
  };
  return (
    <div className="grid justify-items-end gap-1">
      <span className="flex items-center gap-2 text-sm text-ink-2">
        <input
          type="text"
          inputMode="numeric"
          aria-label={`${label}, ${t("settings.minutes")}`}
          aria-invalid={!valid}
          aria-describedby={valid ? undefined : problemId}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onBlur={commit}
          onKeyDown={(event) => event.key === "Enter" && commit()}
          className={`${FIELD} w-20 text-right tabular-nums aria-invalid:border-danger`}
        />
        {t("settings.minutes")}
      </span>
      {valid ? null : (
        <span id={problemId} role="alert" className="text-sm text-danger">
          {t("settings.outOfRange", { max: MAX_MINUTES })}
        </span>
      )}
    </div>
  );
}
