/**
 * The plan: its header, its steps, and whatever the run asks of the reader. Draws the session and sends commands;
 * it decides nothing about what may run.
 */
import { ListTodo, Plus } from "lucide-react";
import { type ReactNode, useCallback, useMemo, useRef, useState } from "react";
import { t } from "@/i18n";
import type {
  Candidate,
  Command,
  Plan,
  RevisionEntry,
  SessionId,
  SessionState,
  Step,
  StepId,
  StepResult,
  UndoTarget,
} from "@/ipc/bindings";
import { Announcer } from "@/shared/Announcer";
import { Button } from "@/shared/Button";
import { EmptyState } from "@/shared/EmptyState";
import { changesInWords, countChanges } from "@/shared/revisions";
import { dependentsOf, SkipDialog } from "@/shared/SkipDialog";
import { commandOf, isManual, modeOf, stepNumbers } from "@/shared/steps";
import { busyWith, changedBy, hasRun, keptIn, undoable, undoneStep } from "@/shared/undo";
import { terminalOf } from "@/state/terminals";
import { CompareDialog } from "./CompareDialog";
import { ConfirmationBar, ConfirmationFacts } from "./ConfirmationCard";
import { EndCard } from "./EndCard";
import { InputsForm } from "./InputsForm";
import { missingInputs } from "./inputs";
import { PlanHeader } from "./PlanHeader";
import { targetOf } from "./StepActions";
import { StepEditor } from "./StepEditor";
import { StepList } from "./StepList";
import { StepRow, type StepRowActions } from "./StepRow";
import { StuckCard } from "./StuckCard";
import { type Draft, type DraftActions, useDraft } from "./useDraft";
import { currentStep, isOpen, latestResults } from "./view";

/** What the teacher's part gets to draw under a step: before Run without a result, after it with one. */
export type TeacherSlot = {
  sessionId: SessionId;
  step: Step;
  result: StepResult | null;
  onRun: () => void;
  onEdit: () => void;
  onSkip: () => void;
};

export type PlanPanelProps = {
  session: SessionState;
  /** Told to pause, which it does when the running step has ended. */
  pausing?: boolean;
  /** Never rejects: errors are shown by the shell. */
  onCommand: (command: Command) => Promise<void>;
  /** A revision to compare the present one with. */
  compareWith: number | null;
  onCompare: (revision: number | null) => void;
  /** "Give guidance": the composer takes the focus. */
  onGuidance: () => void;
  /** What the session runs beside its steps, drawn under them. */
  services?: ReactNode;
  /** The shell's full-width button. */
  headerExtra?: ReactNode;
  /** The teacher's explanation of a step; the shell joins the two features. */
  renderTeacher?: (slot: TeacherSlot) => ReactNode;
  /** "What would this do?" */
  onExplain?: (command: string) => void;
  onReport?: () => void;
  /** Shows what an undo would do. */
  onUndo?: (target: UndoTarget) => void;
  /** Other ways that the last correction named, while stuck. */
  alternatives?: string[];
  /** What the user is asked to choose among, while stuck. */
  candidates?: Candidate[];
  /** The settings ask before every change, not only before danger. */
  careful?: boolean;
  /** The step that is pointed at on the page, and what points at one here. */
  pointed?: StepId | null;
  onPoint?: ((id: StepId) => void) | undefined;
  /** Shows what the run mended as a change of the page. */
  onMend?: (() => void) | undefined;
  /** When every process of a cancelled run was seen to be gone. */
  goneAt?: string | null;
};

export function PlanPanel(props: PlanPanelProps) {
  const { plan } = props.session;
  return plan ? (
    // A new plan starts afresh: nothing opened, ticked or half edited carries over.
    <PlanView key={plan.id} {...props} plan={plan} />
  ) : (
    <section aria-label={t("plan.label")} className="h-full">
      <EmptyState icon={<ListTodo />} title={t("plan.emptyTitle")}>
        {t("plan.emptyText")}
      </EmptyState>
    </section>
  );
}

function PlanView({ plan, ...given }: PlanPanelProps & { plan: Plan }) {
  const { session } = given;
  const [skipping, setSkipping] = useState<StepId | null>(null);
  const latest = useRef({ plan, given });
  latest.current = { plan, given };
  /** A skip that later steps would feel is asked about first. */
  const onCommand = useCallback(async (command: Command) => {
    const { plan, given } = latest.current;
    const asks = command.type === "skip" && dependentsOf(plan, command.stepId).length > 0;
    if (asks) setSkipping(command.stepId);
    else await given.onCommand(command);
  }, []);
  const props = { ...given, onCommand };
  const [opened, setOpened] = useState<ReadonlyMap<StepId, boolean>>(new Map());
  const [editing, setEditing] = useState<StepId | null>(null);
  /** Steps ticked beforehand, with the command that was ticked: another one is not allowed by it. */
  const [ticked, setTicked] = useState<ReadonlyMap<StepId, string>>(new Map());
  const edits = useDraft(plan, session.revisions, onCommand);

  const results = useMemo(() => latestResults(session.results), [session.results]);
  const numbers = useMemo(() => stepNumbers(plan), [plan]);
  const { checkpoints, undone } = session;
  const kept = useMemo(() => keptIn({ checkpoints, undone }), [checkpoints, undone]);
  const busy = busyWith(session);
  const allowed = useMemo(() => stillTicked(plan, ticked), [plan, ticked]);
  const actions = useRowActions(props, plan, edits.actions, { setOpened, setEditing, setTicked });
  const revised = useMemo(() => revisionMessage(session.revisions), [session.revisions]);
  const draft = plan.state.type === "draft";
  const teaching = modeOf(plan.mode) === "teacher";
  const current = currentStep(plan);
  const lastDone = teaching
    ? plan.steps.findLast((step) => step.state.type === "completed" && !isManual(step))
    : undefined;
  const editable = draft || plan.state.type === "ready" || plan.state.type === "failed" || isOpen(plan);

  // A secret that was given is gone with the program that held it.
  const asksAgain = !draft && plan.state.type !== "completed" && editable && missingInputs(plan).length > 0;
  const inputs = useMemo(
    () => new Map((plan.inputs ?? []).map((input) => [input.name, input])),
    [plan.inputs],
  );

  const renderStep = (step: Step) => {
    const result = results.get(step.id);
    const turn = step.state.type === "awaiting-run" && !isManual(step);
    const row = (
      <StepRow
        sessionId={session.id}
        step={step}
        number={numbers.get(step.id) ?? null}
        mode={plan.mode}
        attemptsAllowed={session.ledger.attemptsAllowed}
        result={result}
        thinking={session.thinking?.stepId === step.id ? session.thinking : null}
        checkpoint={kept.checkpoints.get(step.id)}
        undone={undoneStep(session, kept, step.id)}
        terminal={terminalOf(session, step.id)}
        busy={busy}
        changed={changedBy(session, step.id)}
        retryWait={session.retry?.stepId === step.id ? session.retry : null}
        editable={editable}
        inputs={inputs}
        draft={draft}
        before={plan.steps[step.index - 1]?.id ?? null}
        count={plan.steps.length}
        allowed={allowed.has(step.id)}
        open={opened.get(step.id)}
        editing={editing === step.id}
        teacher={
          turn || step === lastDone
            ? props.renderTeacher?.({
                sessionId: session.id,
                step,
                result: turn ? null : (result ?? null),
                onRun: () => actions.run(step.id),
                onEdit: () => actions.edit(step.id),
                onSkip: () => actions.skip(step.id),
              })
            : null
        }
        actions={actions}
      />
    );
    return draft && edits.adding?.after === step.id ? (
      <div className="grid gap-1">
        {row}
        <NewStep edits={edits} />
      </div>
    ) : (
      row
    );
  };

  /** Asked for by key: whether there is something to show. */
  const undoStep = (id: StepId): boolean => {
    const step = stepById(plan, id);
    const checkpoint = kept.checkpoints.get(id);
    if (!step || !hasRun(step, checkpoint)) return false;
    const back = undoable({
      checkpoint,
      undone: undoneStep(session, kept, id),
      busy,
      changed: changedBy(session, id),
      reads: step.assessment?.risk === "safe",
    });
    const target = targetOf(id, back);
    if (target) props.onUndo?.(target);
    return target !== null;
  };

  const confirm = async () => {
    await onCommand({ type: "confirm", revision: plan.revision, allowed: [...allowed] });
    await onCommand({ type: "start", mode: null });
  };

  return (
    <section
      aria-label={t("plan.label")}
      className="flex h-full min-h-0 min-w-0 flex-1 flex-col bg-bg text-md text-ink"
    >
      <PlanHeader
        session={session}
        plan={plan}
        pausing={props.pausing ?? false}
        onCommand={onCommand}
        onCompare={props.onCompare}
        onUndo={props.onUndo}
        kept={kept}
        extra={props.headerExtra}
      />
      <StepList
        steps={plan.steps}
        renderStep={renderStep}
        reveal={current?.id ?? null}
        pointed={props.pointed ?? null}
        onPoint={props.onPoint}
        before={
          draft ? (
            <>
              <ConfirmationFacts
                sessionId={session.id}
                plan={plan}
                folder={session.cwd}
                onCommand={onCommand}
                onEdit={actions.edit}
                onPoint={props.onPoint}
              />
              {edits.adding?.after === null ? <NewStep edits={edits} /> : null}
            </>
          ) : asksAgain ? (
            <section
              aria-label={t("plan.inputs.label")}
              className="mb-3 rounded-md border border-line bg-raised px-4 py-3 shadow-1"
            >
              <InputsForm plan={plan} onCommand={onCommand} onEdit={actions.edit} />
            </section>
          ) : null
        }
        after={
          draft ? (
            <Button
              size="sm"
              variant="ghost"
              icon={<Plus aria-hidden />}
              className="mt-1 ml-5"
              onClick={() => actions.startAdding(plan.steps.at(-1)?.id ?? null)}
            >
              {t("plan.draft.addStep")}
            </Button>
          ) : null
        }
        onMove={draft ? actions.move : undefined}
        onRemove={draft ? actions.remove : undefined}
        onUndo={props.onUndo ? undoStep : undefined}
        focus={edits.focus}
      />
      <div className="max-h-1/2 shrink-0 overflow-y-auto">
        {props.services}
        {draft ? (
          <ConfirmationBar
            plan={plan}
            allowed={allowed}
            careful={props.careful ?? false}
            onRun={() => void confirm()}
            onReject={() => void onCommand({ type: "reject" })}
          />
        ) : plan.state.type === "stuck" ? (
          <StuckCard
            sessionId={session.id}
            reason={plan.state.reason}
            step={stepById(plan, plan.state.stepId)}
            ledger={session.ledger}
            alternatives={props.alternatives ?? []}
            candidates={props.candidates ?? []}
            onCommand={onCommand}
            onEdit={() => plan.state.type === "stuck" && setEditing(plan.state.stepId)}
          />
        ) : (
          <EndCard
            session={session}
            plan={plan}
            goneAt={props.goneAt ?? null}
            onCommand={onCommand}
            onReport={props.onReport}
            onUndo={props.onUndo}
            onMend={props.onMend}
            kept={kept}
          />
        )}
      </div>
      <Announcer message={edits.said || revised} />
      {skipping !== null ? (
        <SkipDialog
          plan={plan}
          stepId={skipping}
          dependents={dependentsOf(plan, skipping)}
          onSkip={(withDependents) =>
            void given.onCommand({ type: "skip", stepId: skipping, withDependents })
          }
          onClose={() => setSkipping(null)}
        />
      ) : null}
      <CompareDialog
        plan={plan}
        revisions={session.revisions}
        from={props.compareWith}
        to={plan.revision}
        onClose={() => props.onCompare(null)}
      />
    </section>
  );
}

type Setters = {
  setOpened: (change: (held: ReadonlyMap<StepId, boolean>) => ReadonlyMap<StepId, boolean>) => void;
  setEditing: (id: StepId | null) => void;
  setTicked: (change: (held: ReadonlyMap<StepId, string>) => ReadonlyMap<StepId, string>) => void;
};

/** One object for the life of the panel, so that a row is drawn again only when its own step changes. */
function useRowActions(
  props: Omit<PlanPanelProps, "plan">,
  plan: Plan,
  draft: DraftActions,
  { setOpened, setEditing, setTicked }: Setters,
): StepRowActions {
  const latest = useRef({ ...props, plan });
  latest.current = { ...props, plan };
  const send = useCallback((command: Command) => void latest.current.onCommand(command), []);
  const canExplain = props.onExplain !== undefined;
  const canUndo = props.onUndo !== undefined;
  return useMemo(
    () => ({
      toggle: (id, open) => setOpened((held) => new Map(held).set(id, open)),
      edit: (id) => setEditing(id),
      stopEditing: () => setEditing(null),
      saveEdit: (id, command, run) => {
        setEditing(null);
        send({ type: "edit", stepId: id, command, run });
      },
      run: (id) => send({ type: "run-step", stepId: id }),
      retry: (id) => send({ type: "retry", stepId: id }),
      skip: (id) => send({ type: "skip", stepId: id }),
      allow: (id, allowed) => {
        const step = stepById(latest.current.plan, id);
        setTicked((held) => {
          const next = new Map(held);
          if (allowed && step) next.set(id, commandOf(step));
          else next.delete(id);
          return next;
        });
      },
      explain: canExplain ? (command) => latest.current.onExplain?.(command) : undefined,
      guidance: () => latest.current.onGuidance(),
      move: draft.move,
      remove: draft.remove,
      startAdding: draft.startAdding,
      undo: canUndo ? (target) => latest.current.onUndo?.(target) : undefined,
    }),
    [send, canExplain, canUndo, draft, setOpened, setEditing, setTicked],
  );
}

function NewStep({ edits }: { edits: Draft }) {
  return <StepEditor onSave={edits.actions.add} onCancel={edits.actions.stopAdding} />;
}

/** The ticks that still stand: the step is there, dangerous, and runs what it ran when it was ticked. */
function stillTicked(plan: Plan, ticked: ReadonlyMap<StepId, string>): ReadonlySet<StepId> {
  const standing = plan.steps.filter(
    (step) => step.assessment?.risk === "dangerous" && ticked.get(step.id) === commandOf(step),
  );
  return new Set(standing.map((step) => step.id));
}

function stepById(plan: Plan, id: StepId): Step | undefined {
  return plan.steps.find((step) => step.id === id);
}

/** "Plan revised: 2 steps added, 1 changed"; empty before the first revision. */
function revisionMessage(revisions: RevisionEntry[]): string {
  const last = revisions.at(-1);
  if (!last || revisions.length === 1) return "";
  const changes = changesInWords(countChanges(last.changes));
  return t("plan.revised", { changes: changes === "" ? t("plan.changes.none") : changes });
}
