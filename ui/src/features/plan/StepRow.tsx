/** One step: a title for people, a command for certainty, and whatever its state asks of the reader. */
import { ChevronRight, CornerDownRight, Pencil, RotateCcw, SkipForward, Undo2 } from "lucide-react";
import { memo, type ReactNode } from "react";
import { t } from "@/i18n";
import type {
  Checkpoint,
  Mode,
  PlanInput,
  RetryWait,
  SessionId,
  Step,
  StepId,
  StepResult,
  Thinking,
  UndoRecord,
  UndoTarget,
} from "@/ipc/bindings";
import { Button } from "@/shared/Button";
import { CommandDiff } from "@/shared/CommandDiff";
import { CommandEditor } from "@/shared/CommandEditor";
import { CommandText } from "@/shared/CommandText";
import { cx } from "@/shared/cx";
import { KeyboardNote } from "@/shared/KeyboardNote";
import { Pill } from "@/shared/Pill";
import { RiskBadge } from "@/shared/RiskBadge";
import { commandOf, isManual, readyText, sourceName } from "@/shared/steps";
import { UndoNote } from "@/shared/UndoNote";
import { hasRun, outlookInWords, type Undoable, undoable } from "@/shared/undo";
import { FindingRepair } from "./FindingRepair";
import { ManualTurn } from "./ManualTurn";
import { StepActions } from "./StepActions";
import { StepGrip } from "./StepGrip";
import { StepMark } from "./StepMark";
import { StepMeta } from "./StepMeta";
import { LiveStepOutput, StepResultOutput, StepTerminal } from "./StepOutput";

/** What a row may ask of the panel; the same object for every row and every render. */
export type StepRowActions = {
  toggle(id: string, open: boolean): void;
  edit(id: string): void;
  stopEditing(): void;
  saveEdit(id: string, command: string, run: boolean): void;
  run(id: string): void;
  retry(id: string): void;
  skip(id: string): void;
  allow(id: string, allowed: boolean): void;
  explain: ((command: string) => void) | undefined;
  guidance(): void;
  /** In a draft: `to` is the place in the new order, from 0. */
  move(id: string, to: number): void;
  remove(id: string): void;
  /** Opens the form for a step after this one; null is the start. */
  startAdding(after: string | null): void;
  /** Shows what an undo would do. */
  undo: ((target: UndoTarget) => void) | undefined;
};

export type StepRowProps = {
  sessionId: SessionId;
  step: Step;
  number: number | null;
  mode: Mode;
  /** How often a step may be tried. A number, for the ledger is another one with every event. */
  attemptsAllowed: number;
  result: StepResult | undefined;
  thinking: Thinking | null;
  /** What was kept before its latest attempt. */
  checkpoint: Checkpoint | undefined;
  /** The undo that it stands taken back by. */
  undone: UndoRecord | undefined;
  /** Why nothing can be taken back now. */
  busy: string | null;
  /** The attempt that was run in a terminal last. */
  terminal: number | null;
  /** Files that all its attempts changed; null where that is not known. */
  changed: number | null;
  /** It runs again after this. */
  retryWait: RetryWait | null;
  /** Whether a command may be sent about this step now. */
  editable: boolean;
  /** What the plan asks for, by the name of the variable. */
  inputs: ReadonlyMap<string, PlanInput>;
  /** Before confirmation: kind shown, dangerous steps can be allowed. */
  draft: boolean;
  /** In a draft: the step before this one, and how many there are. */
  before: StepId | null;
  count: number;
  allowed: boolean;
  /** Opened or closed by the reader; undefined leaves it to the step's state. */
  open: boolean | undefined;
  editing: boolean;
  /** Teacher's words for this step, when it is its turn or just ran. */
  teacher: ReactNode;
  actions: StepRowActions;
};

const FOLD_AT = 140;

export const StepRow = memo(function StepRow(props: StepRowProps) {
  const { step, number, mode, attemptsAllowed, result, thinking, draft, actions, editing } = props;
  const command = commandOf(step);
  const alive = isAlive(step, thinking !== null);
  const repair = step.origin.type === "repair";
  const faded = !alive && step.state.type !== "recovering";
  const long = command.length > FOLD_AT || command.includes("\n");
  const open = props.open ?? alive;
  const back = undoableStep(props);
  const expandable = result !== undefined || long || step.why !== null || back !== null;

  return (
    <div
      className={cx(
        "group/row relative grid grid-cols-[22px_1fr] gap-x-3 rounded-md border py-2 pr-2.5 transition-colors",
        draft ? "pl-7" : "pl-2.5",
        repair && alive && "border-agentic-line bg-agentic-tint",
        repair && !alive && "border-agentic-line",
        !repair && alive && "border-line bg-raised shadow-1",
        !repair && !alive && "border-transparent hover:border-line",
      )}
    >
      {draft ? <StepGrip title={step.title} place={step.index + 1} count={props.count} /> : null}
      <StepMark step={step} number={number} mode={mode} thinking={thinking !== null} />
      <div className="min-w-0">
        <div className="flex min-h-[22px] flex-wrap items-center gap-x-2">
          <h3 className="flex min-w-0 flex-1 basis-36 items-center gap-2 text-md font-semibold">
            {draft ? (
              <span className="shrink-0 text-2xs font-semibold tracking-wide text-ink-3">
                [{t(`plan.kind.${step.kind}`)}]
              </span>
            ) : null}
            {expandable ? (
              <button
                type="button"
                aria-expanded={open}
                onClick={() => actions.toggle(step.id, !open)}
                className="inline-flex min-w-0 items-center gap-2 rounded-xs text-left"
              >
                <Heading step={step} faded={faded} undone={props.undone} result={result} />
                <ChevronRight
                  aria-hidden
                  className={cx(
                    "-ml-1 size-3 shrink-0 text-ink-3 opacity-0 transition-[opacity,rotate] group-hover/row:opacity-100 group-focus-within/row:opacity-100",
                    open && "rotate-90",
                  )}
                />
              </button>
            ) : (
              <Heading step={step} faded={faded} undone={props.undone} result={result} />
            )}
          </h3>
          <div className="ml-auto flex items-center gap-2">
            <StepActions {...props} command={command} undoable={back} />
            <StepMeta
              step={step}
              result={result}
              attemptsAllowed={attemptsAllowed}
              thinking={thinking !== null}
              retryWait={props.retryWait}
            />
            {isManual(step) ? null : step.assessment ? (
              <span className="flex min-w-[66px] justify-start">
                <RiskBadge risk={step.assessment.risk} reasons={step.assessment.reasons} command={command} />
              </span>
            ) : draft ? (
              <span className="min-w-[66px] text-xs text-ink-3">{t("plan.draft.assessing")}</span>
            ) : null}
          </div>
        </div>

        {editing ? (
          <div className="mt-1.5">
            <CommandEditor
              command={command}
              onSave={(draftCommand) => actions.saveEdit(step.id, draftCommand, false)}
              onCancel={actions.stopEditing}
              extra={
                draft
                  ? undefined
                  : (draftCommand) => (
                      <Button size="sm" onClick={() => actions.saveEdit(step.id, draftCommand, true)}>
                        {t("shared.editor.saveAndRun")}
                      </Button>
                    )
              }
            />
          </div>
        ) : isManual(step) ? (
          <p className={cx("whitespace-pre-wrap text-ink-2", !open && long && "line-clamp-2")}>{command}</p>
        ) : step.changed && step.changed.before !== command ? (
          <CommandDiff before={step.changed.before} after={command} className="mt-0.5" />
        ) : (
          <div className={cx("text-sm text-ink-2", !open && long && "line-clamp-2")}>
            <CommandText command={command} inputs={props.inputs} />
          </div>
        )}

        {runsLater(step) ? <KeyboardNote need={step.assessment?.keyboard} /> : null}
        <Provenance step={step} open={open} />
        <Outlook step={step} open={open} draft={draft} />
        {draft && step.assessment?.risk === "dangerous" ? (
          <label className="mt-1 inline-flex items-center gap-2 rounded-sm py-0.5 text-sm text-ink-2">
            <input
              type="checkbox"
              checked={props.allowed}
              onChange={(event) => actions.allow(step.id, event.target.checked)}
              className="size-3.5 accent-(--danger-fill)"
            />
            {t("plan.draft.allow", { title: step.title })}
          </label>
        ) : null}
        <Body {...props} open={open} undoable={back} />
      </div>
    </div>
  );
});

/** Whether what the step did can be taken back; null while it has done nothing. */
function undoableStep({ step, checkpoint, undone, busy, changed }: StepRowProps): Undoable | null {
  if (!hasRun(step, checkpoint)) return null;
  const reads = step.assessment?.risk === "safe";
  return undoable({ checkpoint, undone, busy, changed, reads });
}

type HeadingProps = Pick<StepRowProps, "step" | "undone" | "result"> & { faded: boolean };

function Heading({ step, faded, undone, result }: HeadingProps) {
  return (
    <>
      <span className={cx("truncate", faded ? "text-ink-2" : "text-ink")} title={step.title}>
        {step.title}
      </span>
      {isManual(step) ? (
        <span title={t("plan.manual.badgeHint")}>
          <Pill>{t("plan.manual.badge")}</Pill>
        </span>
      ) : null}
      {step.service ? (
        <span title={t("services.badgeHint", { ready: readyText(step.service.ready) })}>
          <Pill>{t("services.badge")}</Pill>
        </span>
      ) : null}
      {step.origin.type === "repair" ? (
        <Pill tone="agentic">{t("plan.addedIn", { revision: step.origin.revision })}</Pill>
      ) : step.changed ? (
        <Pill tone="agentic">{t("plan.changedIn", { revision: step.changed.revision })}</Pill>
      ) : null}
      {undone ? (
        <Pill>
          <Undo2 aria-hidden className="size-3" />
          {t(leftSome(undone, result) ? "undo.pillPartly" : "undo.pill")}
        </Pill>
      ) : null}
    </>
  );
}

/** Whether some of what the step changed was left alone. */
function leftSome(undo: UndoRecord, result: StepResult | undefined): boolean {
  return undo.skipped.some((file) => result?.filesChanged.includes(file.path));
}

/** Whether there is still time to change it. */
function runsLater({ state }: Step): boolean {
  return state.type === "pending" || state.type === "awaiting-run" || state.type === "awaiting-approval";
}

/** Why a step is here or why it reads as it does. */
function Provenance({ step, open }: { step: Step; open: boolean }) {
  if (step.origin.type === "repair")
    return (
      <Because
        lead={t("plan.addedBy", { source: sourceName(step.origin.source) })}
        reason={step.origin.reason}
      />
    );
  if (step.changed)
    return (
      <Because
        lead={t("plan.changedBy", { source: sourceName(step.changed.source) })}
        reason={step.changed.reason}
      />
    );
  if (step.state.type === "skipped")
    return <p className="text-sm text-ink-3">{t("plan.skippedBecause", { reason: step.state.reason })}</p>;
  return open && step.why ? <p className="mt-0.5 text-sm text-ink-2">{step.why}</p> : null;
}

/** Before it runs: whether it could be taken back. Looking through a draft it is said of every step. */
function Outlook({ step, open, draft }: { step: Step; open: boolean; draft: boolean }) {
  const waits = step.state.type === "pending" || step.state.type === "awaiting-run";
  const words = step.assessment ? outlookInWords(step.assessment.undo) : null;
  if (!words || !waits || !(draft || open)) return null;
  return (
    <p className="mt-0.5 flex items-start gap-1.5 text-xs text-ink-3">
      <Undo2 aria-hidden className="mt-[3px] size-3 shrink-0" />
      <span className="min-w-0 wrap-anywhere">{words}</span>
    </p>
  );
}

function Because({ lead, reason }: { lead: string; reason: string }) {
  return (
    <p className="mt-1 flex items-start gap-1.5 text-sm text-ink-2">
      <CornerDownRight aria-hidden className="mt-[2px] size-3.5 shrink-0 text-agentic-ink" />
      <span className="min-w-0 wrap-anywhere">
        <span className="text-agentic-ink">{lead}</span> {reason}
      </span>
    </p>
  );
}

function Body({
  sessionId,
  step,
  result,
  terminal,
  thinking,
  open,
  editable,
  editing,
  teacher,
  actions,
  undoable: back,
}: StepRowProps & { open: boolean; undoable: Undoable | null }) {
  const { state } = step;
  const output =
    state.type === "running" ? (
      terminal === state.attempt ? (
        <StepTerminal sessionId={sessionId} step={step} attempt={state.attempt} running />
      ) : (
        <LiveStepOutput sessionId={sessionId} step={step} attempt={state.attempt} />
      )
    ) : result && open && !isManual(step) ? (
      <StepResultOutput
        sessionId={sessionId}
        step={step}
        result={result}
        inTerminal={terminal === result.attemptIndex}
      />
    ) : null;
  const decide = state.type === "failed" || state.type === "interrupted";
  const parts = [
    state.type === "interrupted" ? (
      <p key="interrupted" className="text-sm text-ink-2">
        {t("plan.interrupted")}
      </p>
    ) : null,
    state.type === "failed" ? (
      <p key="failed" className="text-sm wrap-anywhere text-danger">
        {state.reason}
      </p>
    ) : null,
    state.type === "awaiting-approval" ? (
      <p key="waiting" className="text-sm text-ink-2">
        {t("plan.waiting")}
      </p>
    ) : null,
    output ? <div key="output">{output}</div> : null,
    thinking ? <FindingRepair key="thinking" thinking={thinking} onGuidance={actions.guidance} /> : null,
    isManual(step) && state.type === "awaiting-run" && !editing ? (
      <ManualTurn key="manual" onDone={() => actions.run(step.id)} onSkip={() => actions.skip(step.id)} />
    ) : null,
    teacher && !editing ? <div key="teacher">{teacher}</div> : null,
    decide && editable && !editing ? (
      <div key="decide" className="flex flex-wrap gap-2">
        <Button size="sm" icon={<RotateCcw aria-hidden />} onClick={() => actions.retry(step.id)}>
          {t(step.assessment?.keyboard && !step.service ? "plan.action.inTerminal" : "plan.action.retry")}
        </Button>
        <Button size="sm" icon={<Pencil aria-hidden />} onClick={() => actions.edit(step.id)}>
          {t("plan.action.edit")}
        </Button>
        <Button size="sm" icon={<SkipForward aria-hidden />} onClick={() => actions.skip(step.id)}>
          {t("plan.action.skip")}
        </Button>
      </div>
    ) : null,
    back && open && actions.undo ? (
      <UndoNote
        key="undo"
        undoable={back}
        label={t("undo.thisStep")}
        target={{ type: "step", stepId: step.id }}
        onUndo={actions.undo}
      />
    ) : null,
  ].filter((part) => part !== null);
  return parts.length > 0 ? <div className="mt-2 grid gap-2">{parts}</div> : null;
}

/** The row the eye should rest on: raised, and open by itself. */
function isAlive(step: Step, thinking: boolean): boolean {
  switch (step.state.type) {
    case "awaiting-run":
    case "awaiting-approval":
    case "running":
    case "failed":
    case "interrupted":
      return true;
    case "recovering":
      return thinking;
    case "pending":
    case "completed":
    case "skipped":
    case "cancelled":
      return false;
  }
}
