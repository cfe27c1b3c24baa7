/**
 * How one file changes: its name, how much, and the lines with their signs. Added and removed are told by sign and word
 * as well as by colour; characters that cannot be seen are shown. Draws text only.
 */
import { FilePen, FilePlus2 } from "lucide-react";
import { memo, useMemo } from "react";
import { t } from "@/i18n";
import type { FileDiff } from "@/ipc/bindings";
import { CommandText } from "./CommandText";
import { cx } from "./cx";
import { type UnifiedLine, unifiedLines } from "./unifiedDiff";

type Props = {
  diff: FileDiff;
  /** Files inside this folder are named from there. */
  root?: string;
  /** Lets the lines be as tall as they are, for a surrounding that scrolls itself. */
  tall?: boolean;
  /** Leaves the file's name and count out, where they stand beside it already. */
  bare?: boolean;
};

export const DiffView = memo(function DiffView({ diff, root, tall = false, bare = false }: Props) {
  const lines = useMemo(() => unifiedLines(diff.unified), [diff.unified]);
  const name = pathFrom(root, diff.path);
  const Icon = diff.created ? FilePlus2 : FilePen;
  return (
    <figure className="m-0 min-w-0 overflow-hidden rounded-sm border border-line bg-raised">
      {bare ? null : (
        <figcaption className="flex min-h-7 items-center gap-2 border-b border-line bg-bg px-2.5 text-sm">
          <Icon aria-hidden className="size-3.5 shrink-0 text-ink-3" />
          <span title={diff.path} className="min-w-0 truncate font-mono text-ink">
            {name}
          </span>
          {diff.created ? (
            <span className="shrink-0 text-xs text-ink-3">{t("shared.diff.created")}</span>
          ) : null}
          <DiffCount diff={diff} className="ml-auto" />
        </figcaption>
      )}
      <section
        aria-label={t("shared.diff.label", { file: name })}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a pane that scrolls has to be reachable with the keyboard.
        tabIndex={0}
        className={cx("overflow-auto py-1 -outline-offset-2", !tall && "max-h-72")}
      >
        {lines.map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines of one fixed text.
          <DiffLine key={index} line={line} first={index === 0} />
        ))}
      </section>
    </figure>
  );
});

/** "+3 −1", read out as words. */
export function DiffCount({
  diff,
  className,
}: {
  diff: Pick<FileDiff, "added" | "removed">;
  className?: string;
}) {
  return (
    <span className={cx("shrink-0 text-xs font-medium whitespace-nowrap tabular-nums", className)}>
      <span aria-hidden>
        <span className="text-safe">+{diff.added}</span> <span className="text-danger">−{diff.removed}</span>
      </span>
      <span className="sr-only">{t("shared.diff.count", { added: diff.added, removed: diff.removed })}</span>
    </span>
  );
}

const ROW = "grid grid-cols-[2.75rem_1rem_1fr] px-1 font-mono text-sm leading-[19px]";

function DiffLine({ line, first }: { line: UnifiedLine; first: boolean }) {
  switch (line.kind) {
    case "part":
      // The first part begins where the eye does; only a gap after it has to be told.
      if (first) return null;
      return (
        <div className={cx(ROW, "my-1 bg-sunken text-xs text-ink-3")}>
          <span aria-hidden className="pr-2 text-right">
            ⋯
          </span>
          <span />
          <span className="truncate">{line.text || t("shared.diff.from", { line: line.from })}</span>
        </div>
      );
    case "note":
      return <p className="px-2.5 py-0.5 text-xs text-ink-3 italic">{line.text}</p>;
    case "same":
      return <Row sign=" " number={line.after} text={line.text} />;
    case "added":
      return <Row sign="+" number={line.after} text={line.text} />;
    case "removed":
      return <Row sign="−" number={line.before} text={line.text} />;
  }
}

function Row({ sign, number, text }: { sign: " " | "+" | "−"; number: number; text: string }) {
  const word = sign === "+" ? t("shared.diff.added") : sign === "−" ? t("shared.diff.removed") : null;
  return (
    <div
      className={cx(
        ROW,
        sign === " " && "text-ink-2",
        sign === "+" && "bg-safe-tint text-ink",
        sign === "−" && "bg-danger-tint text-ink",
      )}
    >
      <span aria-hidden className="pr-2 text-right text-xs text-ink-3 tabular-nums select-none">
        {number}
      </span>
      <span
        aria-hidden
        className={cx(
          "font-semibold select-none",
          sign === "+" && "text-safe",
          sign === "−" && "text-danger",
        )}
      >
        {sign}
      </span>
      <span className="min-w-0 [tab-size:4]">
        {word ? <span className="sr-only">{word} </span> : null}
        <CommandText command={text === "" ? " " : text} />
      </span>
    </div>
  );
}

/** A path as seen from a folder; a file outside it keeps its whole path. */
export function pathFrom(root: string | undefined, path: string): string {
  if (!root) return path;
  const folder = root.endsWith("/") ? root : `${root}/`;
  return path.startsWith(folder) ? path.slice(folder.length) : path;
}
