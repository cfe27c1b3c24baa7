/**
 * A shell command, shown exactly: nothing is reordered, nothing stays invisible. Guilty fragments get a wavy line.
 * The text is only ever drawn as text.
 */
import { Fragment, memo, useMemo } from "react";
import { t } from "@/i18n";
import type { Risk, RiskReason } from "@/ipc/bindings";
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
  /** On the dark block: syntax is coloured. Elsewhere the command takes its surroundings' ink. */
  onTerminal?: boolean;
  className?: string;
};

export const CommandText = memo(function CommandText({
  command,
  reasons,
  pointed = null,
  onTerminal = false,
  className,
}: Props) {
  const pieces = useMemo(() => cut(command, reasons ?? [], onTerminal), [command, reasons, onTerminal]);
  return (
    // An override of direction: letters written from right to left must not change the order either.
    <code
      dir="ltr"
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

function cut(command: string, reasons: RiskReason[], highlight: boolean): Piece[] {
  const tokens = highlight
    ? tokenizeShell(command)
    : [{ kind: "plain" as const, start: 0, end: command.length }];
  const hidden = hiddenCharacters(command);
  const marks = reasons.flatMap(({ risk, start, fragment }, at) =>
    start === null || risk === "safe"
      ? []
      : [{ risk, at, ...scalarRange(command, start, [...fragment].length) }],
  );
  const edges = new Set<number>([0, command.length]);
  for (const part of [...tokens, ...hidden, ...marks]) edges.add(part.start).add(part.end);
  const sorted = [...edges].sort((a, b) => a - b);
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
    });
  }
  return pieces;
}
