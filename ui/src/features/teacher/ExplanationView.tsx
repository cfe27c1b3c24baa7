/** A command taken apart: each part with what it means, how output flows, what it reads and changes, how to undo it. */
import { ArrowDownWideNarrow, BookOpen, Eye, FilePlus2, ShieldCheck, Undo2 } from "lucide-react";
import type { ReactNode } from "react";
import { t } from "@/i18n";
import type { ExplainedPart, Explanation, UndoOutlook } from "@/ipc/bindings";
import { CommandText } from "@/shared/CommandText";
import { CopyButton } from "@/shared/CopyButton";
import { cx } from "@/shared/cx";

type Props = {
  explanation: Explanation;
  /** What it changes and shows is left for the reader to guess first. */
  guessing?: boolean;
};

export function ExplanationView({ explanation, guessing = false }: Props) {
  const { flow, reads, changes, undoCommands, safer } = explanation;
  return (
    <div className="@container grid gap-3">
      <dl
        aria-label={t("teacher.parts")}
        className="grid gap-x-3 gap-y-1.5 @sm:grid-cols-[minmax(0,11rem)_1fr]"
      >
        {explanation.parts.map((part, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one fixed command.
          <div key={index} className="contents">
            <dt className="min-w-0">
              <span
                title={part.text}
                className={cx(
                  "inline-block max-w-full truncate rounded-sm px-[7px] py-px align-top text-sm",
                  part.known ? "bg-teacher-tint text-teacher" : "bg-sunken text-ink-2",
                )}
              >
                <CommandText command={part.text} />
              </span>
            </dt>
            <dd className="min-w-0 wrap-anywhere text-ink-2">
              {part.meaning}
              <PartSource part={part} />
            </dd>
          </div>
        ))}
      </dl>
      <dl className="grid grid-cols-[auto_1fr] gap-x-2 gap-y-1.5 border-t border-line pt-3">
        {flow.length > 0 ? (
          <Row icon={<ArrowDownWideNarrow aria-hidden />} name={t("teacher.flow")}>
            <Sentences sentences={flow} ordered />
          </Row>
        ) : null}
        {reads.length > 0 ? (
          <Row icon={<BookOpen aria-hidden />} name={t("teacher.reads")}>
            <Sentences sentences={reads} />
          </Row>
        ) : null}
        {guessing ? null : (
          <Row icon={<FilePlus2 aria-hidden />} name={t("teacher.changes")}>
            {changes.length === 0 ? t("teacher.changesNothing") : <Sentences sentences={changes} />}
          </Row>
        )}
        <Row icon={<Undo2 aria-hidden />} name={t("teacher.undo")}>
          {undoInWords(explanation.undo)}
          {undoCommands.map((command) => (
            <Command key={command} command={command} />
          ))}
        </Row>
        {safer.length > 0 ? (
          <Row icon={<ShieldCheck aria-hidden />} name={t("teacher.safer")}>
            {safer.map((way) => (
              <div key={`${way.why}${way.command}`}>
                {way.why}
                {way.command === null ? null : <Command command={way.command} />}
              </div>
            ))}
          </Row>
        ) : null}
        {guessing ? null : (
          <Row icon={<Eye aria-hidden />} name={t("teacher.expect")}>
            {explanation.expect ?? t("teacher.expectUnknown")}
          </Row>
        )}
      </dl>
    </div>
  );
}

/** Where the words are from, when they are not ours. */
function PartSource({ part }: { part: ExplainedPart }) {
  if (part.source !== "man-page" && part.source !== "completion") return null;
  return <span className="ml-1.5 text-sm text-ink-3">{t(`teacher.from.${part.source}`)}</span>;
}

function Command({ command }: { command: string }) {
  return (
    <div className="mt-1 flex items-start gap-2">
      <CommandText command={command} className="min-w-0 flex-1 pt-1 text-ink" />
      <CopyButton text={command} label={t("teacher.copy", { command })} />
    </div>
  );
}

function Sentences({ sentences, ordered = false }: { sentences: string[]; ordered?: boolean }) {
  const items = sentences.map((sentence) => <li key={sentence}>{sentence}</li>);
  return ordered ? <ol className="list-decimal pl-4">{items}</ol> : <ul>{items}</ul>;
}

function Row({ icon, name, children }: { icon: ReactNode; name: string; children: ReactNode }) {
  return (
    <>
      <dt className="flex items-start gap-2 font-semibold text-ink [&>svg]:mt-[2.5px] [&>svg]:size-3.5 [&>svg]:text-ink-2">
        {icon}
        {name}
      </dt>
      <dd className="min-w-0 wrap-anywhere text-ink-2">{children}</dd>
    </>
  );
}

function undoInWords(undo: UndoOutlook): string {
  switch (undo.type) {
    case "not-needed":
      return t("teacher.undoNotNeeded");
    case "kept":
      return t("teacher.undoKept");
    case "by-hand":
      return undo.how;
    case "partly":
      return t("teacher.undoPartly", { how: undo.how });
    case "cannot":
      return t("teacher.undoCannot", { why: undo.why });
  }
}
