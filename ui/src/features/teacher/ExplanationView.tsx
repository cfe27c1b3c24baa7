/** A command taken apart: each part with what it means, then what it changes, how to undo it, what to expect. */
import { Eye, FilePlus2, Undo2 } from "lucide-react";
import type { ReactNode } from "react";
import { t } from "@/i18n";
import type { Explanation, UndoOutlook } from "@/ipc/bindings";
import { CommandText } from "@/shared/CommandText";
import { cx } from "@/shared/cx";

export function ExplanationView({ explanation }: { explanation: Explanation }) {
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
            <dd className="min-w-0 wrap-anywhere text-ink-2">{part.meaning}</dd>
          </div>
        ))}
      </dl>
      <dl className="grid grid-cols-[auto_1fr] gap-x-2 gap-y-1.5 border-t border-line pt-3">
        <Row icon={<FilePlus2 aria-hidden />} name={t("teacher.changes")}>
          {explanation.changes.length === 0 ? (
            t("teacher.changesNothing")
          ) : (
            <ul>
              {explanation.changes.map((change) => (
                <li key={change}>{change}</li>
              ))}
            </ul>
          )}
        </Row>
        <Row icon={<Undo2 aria-hidden />} name={t("teacher.undo")}>
          {undoInWords(explanation.undo)}
        </Row>
        <Row icon={<Eye aria-hidden />} name={t("teacher.expect")}>
          {explanation.expect ?? t("teacher.expectUnknown")}
        </Row>
      </dl>
    </div>
  );
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
