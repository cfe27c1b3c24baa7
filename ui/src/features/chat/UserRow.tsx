/* What the user said: the words, their time, what was made of them, and ways to say it differently. */
import { Pencil } from "lucide-react";
import { memo, type ReactNode, useState } from "react";
import { t } from "@/i18n";
import type { ChatEntry, Detection, Route } from "@/ipc/bindings";
import { cx } from "@/shared/cx";
import { formatClock } from "@/shared/format";
import { useApp } from "@/state/store";
import { CopyAction, RowAction } from "./RowAction";

/** A longer message is folded. */
const FOLD_LINES = 14;
const FOLD_CHARS = 1_200;

type Message = Extract<ChatEntry, { type: "user" }>;

/** `last`: nothing was said after it, so that it may still be answered another way. */
export const UserRow = memo(function UserRow({ entry, last }: { entry: Message; last: boolean }) {
  const editMessage = useApp((store) => store.editMessage);
  const edited = useApp((store) => store.editing?.messageId === entry.messageId);
  return (
    <div className="group/user grid min-w-0 grid-cols-1 justify-items-end gap-1">
      <Bubble className={cx(edited && "outline-2 outline-offset-1 outline-agentic")}>
        <Words text={entry.text} />
      </Bubble>
      <div className="flex min-h-6 max-w-full items-center gap-1 text-xs text-ink-3">
        <span className="flex opacity-0 transition-opacity group-hover/user:opacity-100 focus-within:opacity-100">
          <RowAction label={t("chat.edit")} onClick={() => editMessage(entry.messageId, entry.text)}>
            <Pencil aria-hidden />
          </RowAction>
          <CopyAction text={entry.text} label={t("chat.copyMessage")} />
        </span>
        {entry.detection ? <Detected entry={entry} detection={entry.detection} last={last} /> : null}
        <time dateTime={entry.at} className="shrink-0 tabular-nums">
          {formatClock(entry.at)}
        </time>
      </div>
    </div>
  );
});

export function Bubble({ children, className }: { children: ReactNode; className?: string }) {
  return (
    <div className={cx("ml-auto max-w-[88%] min-w-0 rounded-lg rounded-br-xs bg-sunken p-3.5", className)}>
      <span className="sr-only">{t("chat.you")}: </span>
      {children}
    </div>
  );
}

function Words({ text }: { text: string }) {
  const long = text.length > FOLD_CHARS || text.split("\n").length > FOLD_LINES;
  const [open, setOpen] = useState(false);
  return (
    <>
      <p
        className={cx(
          "leading-relaxed wrap-break-word whitespace-pre-wrap",
          long && !open && "max-h-60 overflow-hidden mask-b-from-80%",
        )}
      >
        {text}
      </p>
      {long ? (
        <button
          type="button"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
          className="mt-1.5 rounded-xs text-sm font-medium text-ink-2 hover:text-ink"
        >
          {t(open ? "chat.showLess" : "chat.showAll")}
        </button>
      ) : null}
    </>
  );
}

/** What was decided and why, with the other way beside it. */
function Detected({ entry, detection, last }: { entry: Message; detection: Detection; last: boolean }) {
  const say = useApp((store) => store.say);
  const attempt = useApp((store) => store.attempt);
  const route = entry.route === "auto" ? "chat" : entry.route;
  const other: Route = route === "chat" ? "plan" : "chat";
  const reasons = detection.reasons.map((reason) => reason.text).join(", ");
  const name = t(`chat.detection.${route}`);
  return (
    <span className="flex min-w-0 items-center gap-1">
      <span className="truncate" title={reasons}>
        {reasons === "" ? name : t("chat.detection.because", { route: name, reasons })}
      </span>
      {last ? (
        <>
          <span aria-hidden>·</span>
          <button
            type="button"
            onClick={() =>
              void attempt(() => say({ text: entry.text, route: other, replaces: entry.messageId }))
            }
            className="shrink-0 rounded-xs px-0.5 font-medium text-ink-2 underline decoration-line-strong underline-offset-3 hover:text-ink"
          >
            {t(other === "chat" ? "chat.detection.chatInstead" : "chat.detection.planInstead")}
          </button>
        </>
      ) : null}
      <span aria-hidden>·</span>
    </span>
  );
}
