/** Whether an answer is remembered: what it covers and for how long, literally. Never for dangerous commands. */
import { ChevronDown, Sparkles } from "lucide-react";
import type { ReactNode } from "react";
import { t } from "@/i18n";
import type { GrantLifetime, GrantRule, SessionId } from "@/ipc/bindings";
import { Button } from "@/shared/Button";
import { CommandText } from "@/shared/CommandText";
import { Covered } from "@/shared/Covered";
import { ruleChoice, ruleLiteral, sameRule } from "./words";

export type Remembered = { rule: GrantRule; lifetime: GrantLifetime };

const LIFETIMES: GrantLifetime[] = ["run", "session", "folder", "always"];
/** A call belongs to no run. */
const CALL_LIFETIMES: GrantLifetime[] = ["session", "folder", "always"];

type Props = {
  offers: GrantRule[];
  dangerous: boolean;
  edited: boolean;
  /** About a call of the conversation. */
  call: boolean;
  /** The offer that would have spared the last questions of this kind. It is pointed out, never chosen by itself. */
  suggested: GrantRule | null;
  sessionId: SessionId;
  value: Remembered | null;
  onChange: (value: Remembered | null) => void;
};

export function Remember(props: Props) {
  const { offers, dangerous, edited, call, suggested, sessionId, value, onChange } = props;
  const lifetimes = call ? CALL_LIFETIMES : LIFETIMES;
  const usable = !dangerous && !edited && offers.length > 0;
  const chosen = usable && value ? offers.indexOf(value.rule) : -1;
  const hint = usable && !value && suggested ? offers.find((rule) => sameRule(rule, suggested)) : undefined;
  const choose = (rule: GrantRule) =>
    onChange({ rule, lifetime: value?.lifetime ?? (call ? "session" : "run") });
  return (
    <div className="grid gap-1.5">
      <div className="flex flex-wrap items-center gap-2 text-sm text-ink-3">
        <span>{t("approval.remember.label")}</span>
        <Select
          label={t("approval.remember.label")}
          value={String(chosen)}
          disabled={!usable}
          onChange={(index) => {
            const rule = offers[Number(index)];
            if (rule) choose(rule);
            else onChange(null);
          }}
        >
          <option value="-1">{t("approval.remember.once")}</option>
          {usable
            ? offers.map((rule, index) => (
                <option key={ruleLiteral(rule)} value={String(index)}>
                  {ruleChoice(rule)}
                </option>
              ))
            : null}
        </Select>
        {usable && value ? (
          <Select
            label={t("approval.remember.lifetimeLabel")}
            value={value.lifetime}
            onChange={(next) => {
              const lifetime = lifetimes.find((candidate) => candidate === next);
              if (lifetime) onChange({ ...value, lifetime });
            }}
          >
            {lifetimes.map((lifetime) => (
              <option key={lifetime} value={lifetime}>
                {t(`approval.remember.lifetime.${lifetime}`)}
              </option>
            ))}
          </Select>
        ) : null}
        {dangerous ? (
          <span>{t("approval.remember.never")}</span>
        ) : edited ? (
          <span>{t("approval.remember.edited")}</span>
        ) : offers.length === 0 ? (
          <span>{t("approval.remember.none")}</span>
        ) : null}
      </div>
      {hint ? (
        <p className="flex flex-wrap items-center gap-2 text-sm text-ink-2">
          <Sparkles aria-hidden className="size-3.5 shrink-0 text-agentic-ink" />
          {t("approval.remember.suggested")}
          <Button size="sm" onClick={() => choose(hint)}>
            {t("approval.remember.suggest", { rule: ruleChoice(hint) })}
          </Button>
        </p>
      ) : null}
      {usable && value ? (
        <>
          <p className="text-sm text-ink-2">
            {t("approval.remember.literal")}{" "}
            <span className="rounded-xs bg-sunken px-1.5 py-px text-ink">
              <CommandText command={ruleLiteral(value.rule)} />
            </span>{" "}
            {t(`approval.remember.lifetime.${value.lifetime}`)}
          </p>
          <Covered rule={value.rule} lifetime={value.lifetime} sessionId={sessionId} />
        </>
      ) : null}
    </div>
  );
}

type SelectProps = {
  label: string;
  value: string;
  disabled?: boolean;
  onChange: (value: string) => void;
  children: ReactNode;
};

function Select({ label, value, disabled = false, onChange, children }: SelectProps) {
  return (
    <span className="relative inline-flex">
      <select
        aria-label={label}
        value={value}
        disabled={disabled}
        onChange={(event) => onChange(event.target.value)}
        className="h-[26px] max-w-72 appearance-none truncate rounded-sm border border-line bg-raised pr-7 pl-2.5 text-sm font-medium text-ink enabled:hover:border-line-strong disabled:text-ink-2"
      >
        {children}
      </select>
      <ChevronDown aria-hidden className="pointer-events-none absolute top-1.5 right-2 size-3.5 text-ink-2" />
    </span>
  );
}
