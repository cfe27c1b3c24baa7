/** A command whose parts tell their meaning on hover and on focus; the arrow keys go from one to the next. */
import { type KeyboardEvent, useState } from "react";
import type { ExplainedPart, Explanation } from "@/ipc/bindings";
import { CommandText } from "@/shared/CommandText";
import { cx } from "@/shared/cx";
import { Tooltip } from "@/shared/Tooltip";

type Piece = { start: number; text: string; part: ExplainedPart | null };

export function CommandParts({ explanation, className }: { explanation: Explanation; className?: string }) {
  const pieces = cut(explanation);
  const [current, setCurrent] = useState(0);
  const parts = pieces.filter((piece) => piece.part);
  const move = (event: KeyboardEvent<HTMLElement>) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = Math.min(parts.length - 1, Math.max(0, current + step));
    setCurrent(next);
    event.currentTarget.querySelectorAll("button")[next]?.focus();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the buttons in it take the keys.
    <div dir="ltr" onKeyDown={move} className={cx("font-mono wrap-anywhere whitespace-pre-wrap", className)}>
      {pieces.map((piece) =>
        piece.part ? (
          <Tooltip key={piece.start} content={piece.part.meaning}>
            <button
              type="button"
              aria-description={piece.part.meaning}
              tabIndex={parts.indexOf(piece) === current ? 0 : -1}
              onFocus={() => setCurrent(parts.indexOf(piece))}
              className="rounded-xs text-left hover:underline"
            >
              <CommandText command={piece.text} onTerminal />
            </button>
          </Tooltip>
        ) : (
          <CommandText key={piece.start} command={piece.text} onTerminal />
        ),
      )}
    </div>
  );
}

function cut({ command, parts }: Explanation): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const part of parts) {
    const start = command.indexOf(part.text, from);
    if (start < 0) continue;
    if (start > from) pieces.push({ start: from, text: command.slice(from, start), part: null });
    pieces.push({ start, text: part.text, part });
    from = start + part.text.length;
  }
  if (from < command.length) pieces.push({ start: from, text: command.slice(from), part: null });
  return pieces;
}
