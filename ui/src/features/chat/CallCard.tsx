/* One tool call: what it does in words, where it stands, and on request what came of it. */
import {
  BrainCircuit,
  Calculator,
  ChevronRight,
  FilePen,
  FilePlus2,
  FileText,
  FolderOpen,
  ListChecks,
  type LucideIcon,
  MessageCircleQuestion,
  Search,
  SquareTerminal,
  Undo2,
  Wrench,
} from "lucide-react";
import { memo, type ReactNode, useId, useState } from "react";
import { t } from "@/i18n";
import type {
  Approval,
  Checkpoint,
  FileDiff,
  SessionId,
  ToolResult,
  UndoRecord,
  UndoTarget,
} from "@/ipc/bindings";
import { useOutputSource } from "@/ipc/outputSource";
import { CommandText } from "@/shared/CommandText";
import { CopyButton } from "@/shared/CopyButton";
import { cx } from "@/shared/cx";
import { DiffCount, DiffView } from "@/shared/DiffView";
import { formatDuration, formatElapsed, millisecondsBetween } from "@/shared/format";
import { useNow } from "@/shared/hooks";
import { Output } from "@/shared/Output";
import type { OutputSource } from "@/shared/outputSource";
import { Pill } from "@/shared/Pill";
import { RiskBadge } from "@/shared/RiskBadge";
import { Spinner } from "@/shared/Spinner";
import { hiddenCharacters } from "@/shared/shellTokens";
import { exitText, textOf } from "@/shared/steps";
import { TerminalCard } from "@/shared/terminal/TerminalCard";
import { UndoNote } from "@/shared/UndoNote";
import { type Undoable, undoable } from "@/shared/undo";
import { useLiveOutput } from "@/state/liveOutput";
import { useApp } from "@/state/store";
import { terminalOf, useTerminalSource } from "@/state/terminals";
import { type CallEntry, type CallKind, callInWords, kindOf, subjectOf, tenseOf } from "./callFacts";
import { RowAction } from "./RowAction";

export const CALL_ICONS: Record<CallKind, LucideIcon> = {
  run: SquareTerminal,
  read: FileText,
  list: FolderOpen,
  search: Search,
  write: FilePlus2,
  edit: FilePen,
  ask: MessageCircleQuestion,
  plan: ListChecks,
  eval: Calculator,
  consult: BrainCircuit,
  other: Wrench,
};

/** A change of at most so many lines is shown without asking for it. */
const SMALL_CHANGE = 40;

/** A longer command is shown whole inside the card. */
const SHORT_COMMAND = 48;

type Props = {
  sessionId: SessionId;
  /** The session's folder. */
  root: string;
  call: CallEntry;
  /** The open question about it. */
  approval?: Approval | undefined;
  /** What was kept before it ran. */
  checkpoint?: Checkpoint | undefined;
  /** The undo that it stands taken back by. */
  undone?: UndoRecord | undefined;
  /** Why nothing can be taken back now. */
  busy?: string | null;
  /** Who it is by, where that has to be said. */
  mark?: ReactNode;
};

export const CallCard = memo(function CallCard(props: Props) {
  const { sessionId, root, call, approval } = props;
  const undo = useApp((store) => store.undo);
  const [chosen, setChosen] = useState<boolean | null>(null);
  const id = useId();
  const kind = kindOf(call.tool);
  const body = <CallBody sessionId={sessionId} root={root} call={call} approval={approval} />;
  const back = undoableCall(props);
  const target = { type: "step", stepId: call.callId } as const;
  const onUndo = (wanted: UndoTarget) => undo(wanted, callInWords(call, root));
  if (kind === "ask") return <Question call={call} root={root} />;
  const open = chosen ?? opensByItself(call, approval);
  return (
    <section
      aria-label={callInWords(call, root)}
      className={cx(
        "group/call min-w-0 rounded-md border bg-panel",
        call.state.type === "awaiting-approval" ? "border-line-strong" : "border-line",
      )}
    >
      <div className="flex min-h-9 items-center gap-2.5 pr-3">
        <button
          type="button"
          aria-expanded={open}
          aria-controls={open ? id : undefined}
          onClick={() => setChosen(!open)}
          className="flex min-h-9 min-w-0 flex-1 items-center gap-2.5 rounded-md pl-3 text-left"
        >
          <CallWords call={call} root={root} />
          <ChevronRight
            aria-hidden
            className={cx("size-3.5 shrink-0 text-ink-3 transition-transform", open && "rotate-90")}
          />
        </button>
        {props.mark}
        {approval ? (
          <RiskBadge
            risk={approval.assessment.risk}
            reasons={approval.assessment.reasons}
            command={textOf(approval.action)}
          />
        ) : null}
        {back?.type === "undone" ? <Pill>{t("undo.pill")}</Pill> : null}
        {back?.type === "can" && !open ? (
          <span className="-mr-1 opacity-0 group-focus-within/call:opacity-100 group-hover/call:opacity-100">
            <RowAction label={t("undo.thisCall")} onClick={() => onUndo(target)}>
              <Undo2 aria-hidden />
            </RowAction>
          </span>
        ) : null}
        <CallStatus call={call} />
      </div>
      {open ? (
        <div id={id} className="grid min-w-0 gap-2 px-3 pb-3">
          {body}
          {back ? (
            <UndoNote undoable={back} label={t("undo.thisCall")} target={target} onUndo={onUndo} />
          ) : null}
        </div>
      ) : null}
    </section>
  );
});

/** Whether what the call did can be taken back; null for one that did nothing, or only looked at things. */
function undoableCall({ call, checkpoint, undone, busy = null }: Props): Undoable | null {
  const { state } = call;
  const kind = kindOf(call.tool);
  if (state.type !== "ended" || state.action === null) return null;
  if (kind !== "run" && kind !== "write" && kind !== "edit") return null;
  const { result } = state;
  // A file tool tells of its changes by their difference, a command by the files.
  const changed = kind === "run" ? result.filesChanged.length + (result.moreFilesChanged ?? 0) : null;
  return undoable({ checkpoint, undone, busy, changed, reads: kind === "run" });
}

/** Icon, verb and subject. */
export function CallWords({ call, root }: { call: CallEntry; root: string }) {
  const kind = kindOf(call.tool);
  const Icon = CALL_ICONS[kind];
  const { text, code } = subjectOf(call, root);
  return (
    <>
      <Icon aria-hidden className="size-3.5 shrink-0 text-ink-3" />
      <span className="min-w-0 truncate text-sm text-ink-2">
        {t(`chat.call.verb.${kind}.${tenseOf(call.state)}`)}{" "}
        <span className={cx("text-ink", code && "font-mono")}>{text.split("\n", 1)[0]}</span>
      </span>
    </>
  );
}

/** Where the call stands, at the right edge. */
export function CallStatus({ call: { state } }: { call: CallEntry }) {
  switch (state.type) {
    case "waiting":
      return <Status>{t("chat.call.state.waiting")}</Status>;
    case "awaiting-approval":
      return <Pill tone="caution">{t("chat.call.state.asks")}</Pill>;
    case "running":
      return <Running since={state.startedAt} />;
    case "ended":
      return <Ended result={state.result} />;
  }
}

function Running({ since }: { since: string }) {
  const now = useNow(true);
  return (
    <Status>
      <Spinner className="size-3" />
      {formatElapsed(now - Date.parse(since))}
    </Status>
  );
}

function Ended({ result }: { result: ToolResult }) {
  const exit = result.exitStatus;
  const unusual = exit && !(exit.type === "code" && exit.code === 0) ? exitText(exit) : null;
  switch (result.outcome) {
    case "success":
      return (
        <Status>
          <span className="sr-only">{t("chat.call.state.done")}</span>
          {unusual ? <span>{unusual}</span> : null}
          {result.diffs.length > 0 ? <DiffCount diff={sumOf(result)} /> : null}
          {result.diffs.length > 0 && !exit ? null : timeOf(result)}
        </Status>
      );
    case "error":
      return (
        <Status>
          <span className="font-semibold text-danger">{unusual ?? t("chat.call.state.failed")}</span>
          {exit ? timeOf(result) : null}
        </Status>
      );
    case "declined":
      return <Status>{t("chat.call.state.declined")}</Status>;
    case "interrupted":
      return <Status>{t("chat.call.state.interrupted")}</Status>;
  }
}

function Status({ children }: { children: ReactNode }) {
  return (
    <span className="inline-flex shrink-0 items-center gap-2 text-xs whitespace-nowrap text-ink-3 tabular-nums">
      {children}
    </span>
  );
}

function timeOf({ startedAt, endedAt }: ToolResult): string {
  return formatDuration(millisecondsBetween(startedAt, endedAt));
}

function sumOf({ diffs }: ToolResult): { added: number; removed: number } {
  return {
    added: diffs.reduce((sum, diff) => sum + diff.added, 0),
    removed: diffs.reduce((sum, diff) => sum + diff.removed, 0),
  };
}

function opensByItself({ tool, state }: CallEntry, approval: Approval | undefined): boolean {
  const kind = kindOf(tool);
  switch (state.type) {
    case "waiting":
      return false;
    case "awaiting-approval":
      return (approval?.diffs?.length ?? 0) > 0 || kind === "run";
    case "running":
      return kind === "run";
    case "ended": {
      const { added, removed } = sumOf(state.result);
      const changed = state.result.diffs.length > 0 && added + removed <= SMALL_CHANGE;
      return changed || (kind === "run" && state.result.outcome === "error");
    }
  }
}

function CallBody({ sessionId, root, call, approval }: Props) {
  const { state, tool, callId } = call;
  const inTerminal = useApp(
    ({ session }) => session?.id === sessionId && terminalOf(session, callId) !== null,
  );
  const title = callInWords(call, root);
  const kind = kindOf(tool);
  const command = kind === "run" ? subjectOf(call, root).text : "";
  const words = kind === "eval" || kind === "consult" ? subjectOf(call, root).text : "";
  const planned = state.type === "waiting" || state.type === "awaiting-approval";
  const diffs = approval?.diffs ?? [];
  return (
    <>
      {command !== "" && (planned || !fitsTheCard(command)) ? <Command command={command} /> : null}
      {words === "" ? null : <Command command={words} />}
      {command === "" && words === "" && planned && diffs.length === 0 ? (
        <Command command={call.input} />
      ) : null}
      {planned ? <Diffs diffs={diffs} root={root} /> : null}
      {state.type === "running" && command !== "" && !inTerminal ? (
        <LiveCallOutput sessionId={sessionId} callId={callId} title={title} />
      ) : null}
      {state.type === "running" && inTerminal ? (
        <CallTerminal sessionId={sessionId} callId={callId} title={title} running />
      ) : null}
      {state.type === "ended" && inTerminal ? (
        <CallTerminal
          sessionId={sessionId}
          callId={callId}
          title={title}
          running={false}
          fallback={<CallResultBody sessionId={sessionId} result={state.result} root={root} title={title} />}
        />
      ) : null}
      {state.type === "ended" && !inTerminal ? (
        <CallResultBody sessionId={sessionId} result={state.result} root={root} title={title} />
      ) : null}
    </>
  );
}

/** Whether the card's own line shows the whole command. */
function fitsTheCard(command: string): boolean {
  if (command.length > SHORT_COMMAND || command.includes("\n")) return false;
  // Only the exact text inside the card shows what cannot be seen.
  return hiddenCharacters(command).length === 0;
}

function Command({ command }: { command: string }) {
  return (
    <div className="flex items-start gap-2 text-sm">
      <CommandText command={command} className="min-w-0 flex-1 py-1 leading-[19px] text-ink" />
      <CopyButton text={command} />
    </div>
  );
}

function LiveCallOutput({
  sessionId,
  callId,
  title,
}: {
  sessionId: SessionId;
  callId: string;
  title: string;
}) {
  const live = useLiveOutput(sessionId, callId, 0);
  const source = useOutputSource(sessionId, callId, 0);
  return <Output live text={live.text} newlines={live.newlines} title={title} source={source} />;
}

function CallTerminal({
  sessionId,
  callId,
  ...rest
}: {
  sessionId: SessionId;
  callId: string;
  title: string;
  running: boolean;
  fallback?: ReactNode;
}) {
  const source = useTerminalSource(sessionId, callId, 0);
  return <TerminalCard source={source} {...rest} />;
}

function CallResultBody({ sessionId, ...rest }: ResultProps & { sessionId: SessionId }) {
  const kept = useOutputSource(sessionId, rest.result.callId, 0);
  // Only a command's output is on disk.
  return <ResultBody {...rest} source={rest.result.output === null ? undefined : kept} />;
}

type ResultProps = { result: ToolResult; root: string; title: string; source?: OutputSource | undefined };

export function ResultBody({ result, root, title, source }: ResultProps) {
  const { diffs, output, content, omittedLines, exitStatus } = result;
  if (diffs.length > 0) return <Diffs diffs={diffs} root={root} />;
  return (
    <Output
      text={output ?? content}
      title={title}
      omittedLines={omittedLines}
      source={source}
      footer={exitStatus ? `${exitText(exitStatus)} · ${timeOf(result)}` : undefined}
    />
  );
}

/** The card names a single file already, and counts its lines once they are changed. */
function Diffs({ diffs, root }: { diffs: FileDiff[]; root: string }) {
  return diffs.map((diff) => <DiffView key={diff.path} bare={diffs.length === 1} diff={diff} root={root} />);
}

/** Something the model wants to know; the composer takes the answer. */
function Question({ call, root }: { call: CallEntry; root: string }) {
  return (
    <section
      aria-label={t("chat.call.verb.ask.done")}
      className="flex gap-3 rounded-md border border-line-strong bg-panel p-3"
    >
      <MessageCircleQuestion aria-hidden className="mt-0.5 size-4 shrink-0 text-agentic-ink" />
      <p className="min-w-0 flex-1 leading-relaxed wrap-break-word whitespace-pre-wrap">
        {subjectOf(call, root).text}
      </p>
    </section>
  );
}
