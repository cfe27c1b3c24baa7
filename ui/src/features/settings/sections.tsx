/* The sections of the settings that are rows of controls. */
import { t } from "@/i18n";
import type { InstructionsRule, Mode, OnFailure, Risk, Settings, SynthesisRule, Theme } from "@/ipc/bindings";
import { Segmented } from "@/shared/Segmented";
import { Switch } from "@/shared/Switch";
import { useApp } from "@/state/store";
import { Choice, Group, Minutes, NumberField, Row, whole } from "./controls";

type AskFrom = Extract<Risk, "caution" | "dangerous">;
type Led = Exclude<Mode, "fixer">;

export type SectionProps = { settings: Settings; change: (part: Partial<Settings>) => void };

const MAX_OUTPUT_MIB = 4096;

export function RunningSection({ settings, change }: SectionProps) {
  const mode = settings.defaultMode ?? "planner";
  const info = useApp((store) => store.info);
  return (
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
            ["rollback", t("settings.rollback")],
            ["continue", t("settings.continue")],
          ]}
          onChange={(onFailure) => change({ onFailure })}
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
      <Row title={t("settings.outputMib")} text={t("settings.outputMibText")}>
        <NumberField
          label={t("settings.outputMib")}
          unit={t("settings.mib")}
          value={String(settings.outputMib ?? 64)}
          read={whole(1, MAX_OUTPUT_MIB)}
          problem={t("settings.outOfRange", { max: MAX_OUTPUT_MIB })}
          onChange={(outputMib) => outputMib !== null && change({ outputMib })}
        />
      </Row>
      <Row title={t("settings.keepAwake")} text={t("settings.keepAwakeText")}>
        <Switch
          label={t("settings.keepAwake")}
          checked={settings.keepAwake ?? true}
          onChange={(keepAwake) => change({ keepAwake })}
        />
      </Row>
      {info ? (
        <Row title={t("settings.ownRules")} text={t("settings.ownRulesText")}>
          <code className="text-sm break-all select-text">{`${info.dataFolder}/rules`}</code>
        </Row>
      ) : null}
    </Group>
  );
}

/** Ten years: a rule that outlives that is meant to be always. */
const MAX_DAYS = 3650;

export function SafetySection({ settings, change }: SectionProps) {
  return (
    <Group id="settings-safety" title={t("settings.safety")}>
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
      <Row title={t("settings.forecast")} text={t("settings.forecastText")}>
        <Switch
          label={t("settings.forecast")}
          checked={settings.forecast ?? true}
          onChange={(forecast) => change({ forecast })}
        />
      </Row>
      <Row title={t("settings.grantDays")} text={t("settings.grantDaysText")}>
        <NumberField
          label={t("settings.grantDays")}
          unit={t("settings.days")}
          value={String(settings.grantDays ?? 90)}
          read={whole(1, MAX_DAYS)}
          problem={t("settings.outOfRange", { max: MAX_DAYS })}
          onChange={(grantDays) => grantDays !== null && change({ grantDays })}
        />
      </Row>
    </Group>
  );
}

const MAX_ROUNDS = 100;

export function ConversationSection({ settings, change }: SectionProps) {
  return (
    <Group title={t("models.conversation.title")}>
      <Row title={t("models.conversation.loop")} text={t("models.conversation.loopText")}>
        <Switch
          label={t("models.conversation.loop")}
          checked={settings.autonomousLoop ?? true}
          onChange={(autonomousLoop) => change({ autonomousLoop })}
        />
      </Row>
      <Row title={t("models.conversation.rounds")} text={t("models.conversation.roundsText")}>
        <NumberField
          label={t("models.conversation.rounds")}
          unit={t("models.conversation.roundsUnit")}
          value={String(settings.maxRounds ?? MAX_ROUNDS)}
          read={whole(1, MAX_ROUNDS)}
          problem={t("settings.outOfRange", { max: MAX_ROUNDS })}
          onChange={(maxRounds) => maxRounds !== null && change({ maxRounds })}
        />
      </Row>
      <Row title={t("models.conversation.parallel")} text={t("models.conversation.parallelText")}>
        <Switch
          label={t("models.conversation.parallel")}
          checked={settings.parallelTools ?? true}
          onChange={(parallelTools) => change({ parallelTools })}
        />
      </Row>
      <Row title={t("models.conversation.askEdits")} text={t("models.conversation.askEditsText")}>
        <Switch
          label={t("models.conversation.askEdits")}
          checked={settings.askEdits ?? true}
          onChange={(askEdits) => change({ askEdits })}
        />
      </Row>
      <Row title={t("models.conversation.instructions")} text={t("models.conversation.instructionsText")}>
        <Segmented<InstructionsRule>
          label={t("models.conversation.instructions")}
          value={settings.instructions ?? "ask"}
          segments={[
            { value: "ask", label: t("models.conversation.instructionsAsk") },
            { value: "always", label: t("models.conversation.instructionsAlways") },
            { value: "never", label: t("models.conversation.instructionsNever") },
          ]}
          onChange={(instructions) => change({ instructions })}
        />
      </Row>
      <Row title={t("models.conversation.synthesis")} text={t("models.conversation.synthesisText")}>
        <Segmented<SynthesisRule>
          label={t("models.conversation.synthesis")}
          value={settings.synthesis ?? "words"}
          segments={[
            { value: "words", label: t("models.conversation.synthesisWords") },
            { value: "account", label: t("models.conversation.synthesisAccount") },
            { value: "by-tool", label: t("models.conversation.synthesisByTool") },
          ]}
          onChange={(synthesis) => change({ synthesis })}
        />
      </Row>
    </Group>
  );
}

const TOKENS = { min: 1_000, max: 1_000_000_000 };
const MAX_CENTS = 1_000_000;

/** Dollars as people write them, in cents; an empty text is no limit. */
export function readDollars(text: string): number | null | undefined {
  if (text === "") return null;
  const plain = text.replace(/^\$\s*/, "").replace(",", ".");
  if (!/^\d*\.?\d{0,2}$/.test(plain) || plain === ".") return undefined;
  const cents = Math.round(Number(plain) * 100);
  return cents >= 1 && cents <= MAX_CENTS ? cents : undefined;
}

export function CapsSection({ settings, change }: SectionProps) {
  const cents = settings.costCapCents ?? null;
  return (
    <Group id="settings-caps" title={t("models.caps.title")}>
      <Row title={t("models.caps.tokens")} text={t("models.caps.tokensText")}>
        <NumberField
          label={t("models.caps.tokens")}
          unit={t("models.caps.tokensUnit")}
          placeholder={t("models.caps.none")}
          wide
          value={settings.tokenCap == null ? "" : new Intl.NumberFormat("en-US").format(settings.tokenCap)}
          read={whole(TOKENS.min, TOKENS.max, true)}
          problem={t("models.caps.tokensBad")}
          onChange={(tokenCap) => change({ tokenCap })}
        />
      </Row>
      <Row title={t("models.caps.cost")} text={t("models.caps.costText")}>
        <NumberField
          label={t("models.caps.cost")}
          unit={t("models.caps.dollars")}
          placeholder={t("models.caps.none")}
          wide
          value={cents === null ? "" : (cents / 100).toFixed(2)}
          read={readDollars}
          problem={t("models.caps.costBad")}
          onChange={(costCapCents) => change({ costCapCents })}
        />
      </Row>
    </Group>
  );
}

export function LookSection({ settings, change }: SectionProps) {
  return (
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
      <Row title={t("settings.trayIcon")} text={t("settings.trayIconText")}>
        <Switch
          label={t("settings.trayIcon")}
          checked={settings.trayIcon ?? true}
          onChange={(trayIcon) => change({ trayIcon })}
        />
      </Row>
    </Group>
  );
}
