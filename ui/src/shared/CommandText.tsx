/**
 * A shell command, shown exactly: nothing is reordered, nothing stays invisible. Guilty fragments get a wavy line.
 * The text is only ever drawn as text.
 */
import { Fragment, memo, useMemo } from "react";
import { t } from "@/i18n";
import type { PlanInput, Risk, RiskReason } from "@/ipc/bindings";
import { cx } from "./cx";
import {
  type HiddenCharacter,
  hiddenCharacters,
  scalarRange,
  type TokenKind,
  tokenizeShell,
} from "./shellTokens";
import "./terminal.css";

type Piece = {
  start: number;
  end: number;
  kind: TokenKind;
  mark: Risk | null;
  /** Places, in the list of reasons, of all that mean this piece. */
  because: number[];
  hidden: HiddenCharacter | null;
  /** What is asked of the reader stands here, as its variable. */
  input: PlanInput | null;
};

const ON_TERMINAL: Record<TokenKind, string | undefined> = {
  program: "font-semibold",
  flag: "text-(--term-flag)",
  string: "text-(--term-string)",
  variable: "text-(--term-variable)",
  operator: "text-term-dim",
  comment: "text-term-dim italic",
  plain: undefined,
};

type Props = {
  command: string;
  /** Reasons whose fragments are to be underlined, strictest first. */
  reasons?: RiskReason[];
  /** The reason, by its place, whose fragment is to stand out. */
  pointed?: number | null;
  /** Variables in whose place the reader's values are shown. */
  inputs?: ReadonlyMap<string, PlanInput>;
  /** On the dark block: syntax is coloured. Elsewhere the command takes its surroundings' ink. */
  onTerminal?: boolean;
  className?: string;
};

export const CommandText = memo(function CommandText({
  command,
  reasons,
  pointed = null,
  inputs,
  onTerminal = false,
  className,
}: Props) {
  const pieces = useMemo(
    () => cut(command, reasons ?? [], onTerminal, inputs),
    [command, reasons, onTerminal, inputs],
  );
  return (
    // An override of direction: letters written from right to left must not change the order either.
    <code
      dir="ltr"
      data-command
      className={cx("wrap-anywhere whitespace-pre-wrap [unicode-bidi:bidi-override]", className)}
    >
      {pieces.map((piece) => {
        const hidden = piece.hidden;
        if (hidden)
          return (
            <Fragment key={piece.start}>
              <span
                role="img"
                aria-label={t("shared.hidden.label", {
                  code: hidden.code,
                  name: t(`shared.hidden.${hidden.kind}`),
                })}
                title={t(`shared.hidden.${hidden.kind}`)}
                data-code={hidden.code}
                className="pw-hidden-character"
              />
            </Fragment>
          );
        if (piece.input) return <InputChip key={piece.start} input={piece.input} />;
        const text = command.slice(piece.start, piece.end);
        const kind = onTerminal && ON_TERMINAL[piece.kind];
        if (!piece.mark)
          return (
            <span key={piece.start} className={cx(kind)}>
              {text}
            </span>
          );
        return (
          <mark
            key={piece.start}
            title={piece.because.map((at) => reasons?.[at]?.text).join("\n")}
            className={cx(
              kind,
              "pw-guilty",
              piece.mark === "caution" ? "pw-guilty-caution" : "pw-guilty-danger",
              pointed !== null && piece.because.includes(pointed) && "pw-pointed",
            )}
          >
            {text}
          </mark>
        );
      })}
    </code>
  );
});

const CHIP_LENGTH = 60;

/** The reader's value where it will stand; what it is, on hover. */
function InputChip({ input }: { input: PlanInput }) {
  const { label, value } = input;
  const text = value?.type === "plain" ? visible(value.text) : "";
  const shown = text.length > CHIP_LENGTH ? `${text.slice(0, CHIP_LENGTH)}…` : text;
  if (value?.type === "plain")
    return (
      <span className="pw-input" title={t("plan.inputs.chip", { label, value: `$${input.name}` })}>
        {shown}
      </span>
    );
  const name = t(value ? "plan.inputs.chipSecret" : "plan.inputs.chipMissing", { label });
  return (
    <span role="img" aria-label={name} title={name} className={cx("pw-input", !value && "pw-input-missing")}>
      {value ? "••••••" : label}
    </span>
  );
}

/** With what cannot be seen in words. */
function visible(text: string): string {
  const hidden = hiddenCharacters(text);
  const inWords = hidden.reduceRight(
    (shown, { start, end, code }) => `${shown.slice(0, start)}⟨${code}⟩${shown.slice(end)}`,
    text,
  );
  return inWords.replaceAll("\n", "⏎");
}

function cut(
  command: string,
  reasons: RiskReason[],
  highlight: boolean,
  inputs: ReadonlyMap<string, PlanInput> | undefined,
): Piece[] {
  const tokens = highlight
    ? tokenizeShell(command)
    : [{ kind: "plain" as const, start: 0, end: command.length }];
  const hidden = hiddenCharacters(command);
  const marks = reasons.flatMap(({ risk, start, fragment }, at) =>
    start === null || risk === "safe"
      ? []
      : [{ risk, at, ...scalarRange(command, start, [...fragment].length) }],
  );
  const chips = inputs ? inputsIn(command, inputs) : [];
  const within = (at: number) => chips.some((chip) => chip.start < at && at < chip.end);
  const edges = new Set<number>([0, command.length]);
  for (const part of [...tokens, ...hidden, ...marks, ...chips]) edges.add(part.start).add(part.end);
  // A value is one piece, whatever the syntax around it.
  const sorted = [...edges].filter((at) => !within(at)).sort((a, b) => a - b);
  const pieces: Piece[] = [];
  let token = 0;
  for (let i = 0; i + 1 < sorted.length; i += 1) {
    const start = sorted[i] ?? 0;
    const end = sorted[i + 1] ?? start;
    while (token + 1 < tokens.length && (tokens[token]?.end ?? 0) <= start) token += 1;
    const covering = marks.filter((mark) => mark.start <= start && end <= mark.end);
    pieces.push({
      start,
      end,
      kind: tokens[token]?.kind ?? "plain",
      // Reasons come strictest first, so the first that covers the piece is the one to show.
      mark: covering[0]?.risk ?? null,
      because: covering.map((mark) => mark.at),
      hidden: hidden.find((char) => char.start === start) ?? null,
      input: chips.find((chip) => chip.start === start)?.input ?? null,
    });
  }
  return pieces;
}

/** `${NAME}` and `$NAME` of the inputs. */
function inputsIn(command: string, inputs: ReadonlyMap<string, PlanInput>) {
  return [...command.matchAll(/\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g)].flatMap((found) => {
    const input = inputs.get(found[1] ?? found[2] ?? "");
    const escaped = /(^|[^\\])(\\\\)*\\$/.test(command.slice(0, found.index));
    return input && !escaped ? [{ start: found.index, end: found.index + found[0].length, input }] : [];
  });
}
