/** What the plan leaves to its reader, in one form. A value goes to the engine when the field is left, or after a rest in typing. */
import { EyeOff, Pencil } from "lucide-react";
import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import { t } from "@/i18n";
import type { Command, Plan, PlanInput, StepId } from "@/ipc/bindings";
import { Button } from "@/shared/Button";
import { cx } from "@/shared/cx";
import { askedInputs, standsIn, unfit } from "./inputs";

const REST_MILLIS = 800;

const FIELD =
  "h-8 w-full min-w-0 rounded-sm border border-line-strong bg-panel px-2.5 text-sm text-ink placeholder:text-ink-3 aria-invalid:border-danger";

type Props = {
  plan: Plan;
  onCommand: (command: Command) => Promise<void>;
  /** Opens a step's command for editing. */
  onEdit: (id: StepId) => void;
};

export function InputsForm({ plan, onCommand, onEdit }: Props) {
  const inputs = askedInputs(plan);
  if (inputs.length === 0) return null;
  const begun = plan.state.type !== "draft" && plan.state.type !== "ready";
  return (
    <fieldset className="grid min-w-0 gap-2.5">
      <legend className="mb-1.5 text-sm font-semibold text-ink">{t("plan.inputs.label")}</legend>
      {inputs.map((input) => {
        const step = standsIn(plan, input);
        if (step !== null)
          return (
            <div key={input.name} className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
              <p className="min-w-0 flex-1 basis-56 text-ink-2">
                {t("plan.inputs.byHand", { token: input.token, title: step.title })}
              </p>
              <Button size="sm" icon={<Pencil aria-hidden />} onClick={() => onEdit(step.id)}>
                {t("plan.inputs.editStep")}
              </Button>
            </div>
          );
        const give = (value: string) =>
          void onCommand({ type: "give-inputs", values: [{ name: input.name, value }] });
        const fixed = begun && input.value !== null && input.value !== undefined;
        if (input.kind === "choice" || input.kind === "yes-no")
          return <Choice key={input.name} input={input} fixed={fixed} onGive={give} />;
        return <Field key={input.name} input={input} fixed={fixed} onGive={give} />;
      })}
    </fieldset>
  );
}

type FieldProps = {
  input: PlanInput;
  /** Steps may have used it already. */
  fixed: boolean;
  onGive: (value: string) => void;
};

function Choice({ input, fixed, onGive }: FieldProps) {
  const id = useId();
  const values = input.kind === "yes-no" ? ["yes", "no"] : (input.choices ?? []);
  const chosen = plainValue(input);
  const inWords = (value: string) =>
    input.kind !== "yes-no" ? value : t(value === "yes" ? "plan.inputs.yes" : "plan.inputs.no");
  return (
    <Row id={id} input={input} group>
      <div className="flex flex-wrap gap-x-5 gap-y-1 py-1">
        {values.map((value) => (
          <label key={value} className="flex min-w-0 items-center gap-2 text-sm">
            <input
              type="radio"
              name={id}
              checked={value === chosen}
              disabled={fixed}
              onChange={() => onGive(value)}
              className="accent-(--ink)"
            />
            <span className="wrap-anywhere text-ink">{inWords(value)}</span>
          </label>
        ))}
      </div>
    </Row>
  );
}

function Field({ input, fixed, onGive }: FieldProps) {
  const id = useId();
  const secret = input.kind === "secret";
  const given = plainValue(input);
  const [text, setText] = useState(given);
  const typing = useRef(false);
  const rest = useRef<ReturnType<typeof setTimeout>>(undefined);
  const fault = unfit(input, text);
  // What the engine holds is shown, unless somebody writes in it just now.
  useEffect(() => {
    if (!typing.current) setText(given);
  }, [given]);
  useEffect(() => () => clearTimeout(rest.current), []);

  const send = (value: string) => {
    clearTimeout(rest.current);
    // An empty field of a secret says nothing: the secret that was given is not shown in it.
    if (unfit(input, value) !== null || value === given || (secret && value === "")) return;
    onGive(value);
    if (secret) setText("");
  };
  const write = (value: string) => {
    typing.current = true;
    setText(value);
    clearTimeout(rest.current);
    // Of a secret no part is sent before it is whole.
    if (!secret) rest.current = setTimeout(() => send(value), REST_MILLIS);
  };
  const leave = () => {
    typing.current = false;
    send(text);
  };
  const use = (value: string) => {
    typing.current = false;
    setText(value);
    send(value);
  };
  return (
    <Row id={id} input={input}>
      <input
        id={id}
        type={secret ? "password" : "text"}
        inputMode={input.kind === "number" ? "decimal" : undefined}
        value={text}
        disabled={fixed}
        required={input.required}
        aria-invalid={fault !== null}
        aria-describedby={`${id}-note`}
        autoComplete="off"
        autoCapitalize="off"
        autoCorrect="off"
        spellCheck={false}
        placeholder={secret && isGiven(input) ? t("plan.inputs.given") : undefined}
        onChange={(event) => write(event.target.value)}
        onBlur={leave}
        onKeyDown={(event) => {
          if (event.key === "Enter") leave();
        }}
        className={cx(FIELD, input.kind === "path" && "font-mono")}
      />
      <p
        id={`${id}-note`}
        className="flex flex-wrap items-center gap-x-2 gap-y-1 text-xs text-ink-3 empty:hidden"
      >
        {fault === null ? null : <span className="text-danger">{t("plan.inputs.number")}</span>}
        {secret ? (
          <>
            <EyeOff aria-hidden className="size-3 shrink-0" />
            {t("plan.inputs.secret")}
          </>
        ) : null}
        {fixed
          ? null
          : (input.suggestions ?? [])
              .filter((value) => value !== text)
              .map((value) => (
                <Button key={value} size="sm" variant="ghost" onClick={() => use(value)}>
                  {t("plan.inputs.use", { value })}
                </Button>
              ))}
      </p>
    </Row>
  );
}

function Row({
  id,
  input,
  group = false,
  children,
}: {
  id: string;
  input: PlanInput;
  group?: boolean;
  children: ReactNode;
}) {
  const name = (
    <>
      <span className="wrap-anywhere">{input.label}</span>
      {input.required ? null : <span className="ml-1.5 text-xs text-ink-3">{t("plan.inputs.optional")}</span>}
    </>
  );
  return (
    <div
      {...(group ? { role: "radiogroup", "aria-labelledby": `${id}-name` } : {})}
      className="grid items-start gap-x-4 gap-y-1 sm:grid-cols-[minmax(7rem,12rem)_1fr]"
    >
      {group ? (
        <span id={`${id}-name`} title={input.token || undefined} className="py-1.5 text-sm text-ink-2">
          {name}
        </span>
      ) : (
        <label htmlFor={id} title={input.token || undefined} className="py-1.5 text-sm text-ink-2">
          {name}
        </label>
      )}
      <div className="grid min-w-0 gap-1">{children}</div>
    </div>
  );
}

function plainValue(input: PlanInput): string {
  return input.value?.type === "plain" ? input.value.text : "";
}

function isGiven(input: PlanInput): boolean {
  return input.value !== null && input.value !== undefined;
}
