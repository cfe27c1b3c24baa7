/** The plan's title, its revisions, who leads, how far it is, and the controls of the run. */
import { ChevronDown, GitCompareArrows, Pause, Play, Square, Undo2 } from "lucide-react";
import { type ReactNode, useState } from "react";
import { t } from "@/i18n";
import type { Command, Plan, SessionState, UndoTarget } from "@/ipc/bindings";
import { Button } from "@/shared/Button";
import { formatClock } from "@/shared/format";
import { Menu, type MenuItem } from "@/shared/Menu";
import { ModeSelector } from "@/shared/ModeSelector";
import { ProgressBar } from "@/shared/ProgressBar";
import { Spinner } from "@/shared/Spinner";
import { authorName, isRunUnderWay, modeOf, stepNumbers } from "@/shared/steps";
import { type Kept, undoableRun } from "@/shared/undo";
import { RecoveryLedger } from "./RecoveryLedger";
import { doneCount, isOpen } from "./view";

type Props = {
  session: SessionState;
  plan: Plan;
  pausing: boolean;
  onCommand: (command: Command) => Promise<void>;
  onCompare: (revision: number) => void;
  onUndo: ((target: UndoTarget) => void) | undefined;
  kept: Kept;
  extra: ReactNode;
};

export function PlanHeader({ session, plan, pausing, onCommand, onCompare, onUndo, kept, extra }: Props) {
  const done = doneCount(plan);
  const mode = modeOf(plan.mode);
  const draft = plan.state.type === "draft";
  return (
    <header className="@container grid gap-2.5 border-b border-line px-5 pt-4 pb-3">
      <div className="flex flex-wrap items-center gap-x-2.5 gap-y-2">
        <h2 className="min-w-0 truncate text-lg font-semibold text-ink" title={plan.title}>
          {plan.title}
        </h2>
        <RevisionMenu plan={plan} session={session} onCompare={onCompare} onUndo={onUndo} kept={kept} />
        <div className="ml-auto flex items-center gap-2">
          <ModeSelector
            mode={plan.mode}
            disabled={isRunUnderWay(plan)}
            onChange={(next) => void onCommand({ type: "set-mode", mode: next })}
          />
          {extra}
        </div>
      </div>
      {draft ? null : (
        <>
          {" "}
          <div className="flex min-h-[26px] flex-wrap items-center gap-x-2.5 gap-y-2">
            <ProgressBar
              label={t("plan.progressLabel")}
              value={done}
              max={plan.steps.length}
              tone={mode}
              className="w-28 @md:w-50"
            />
            <span className="text-sm text-ink-2 tabular-nums">
              {t("plan.progress", { done, total: plan.steps.length })}
            </span>
            <RunControls plan={plan} pausing={pausing} onCommand={onCommand} />
          </div>
          {mode === "agentic" ? <RecoveryLedger ledger={session.ledger} /> : null}
        </>
      )}
    </header>
  );
}

function RunControls({ plan, pausing, onCommand }: Pick<Props, "plan" | "pausing" | "onCommand">) {
  const [stopping, setStopping] = useState(false);
  if (!isOpen(plan) && plan.state.type !== "ready") return null;
  const stop = () => {
    setStopping(true);
    void onCommand({ type: "cancel" }).finally(() => setStopping(false));
  };
  return (
    <div className="ml-auto flex gap-2.5">
      {isRunUnderWay(plan) ? (
        <Button
          size="sm"
          icon={pausing ? <Spinner /> : <Pause aria-hidden />}
          disabled={pausing}
          onClick={() => void onCommand({ type: "pause" })}
        >
          {t(pausing ? "plan.pausing" : "plan.pause")}
        </Button>
      ) : null}
      {plan.state.type === "paused" ? (
        <Button
          size="sm"
          variant={modeOf(plan.mode)}
          icon={<Play aria-hidden />}
          onClick={() => void onCommand({ type: "resume", mode: null })}
        >
          {t("plan.resume")}
        </Button>
      ) : null}
      {plan.state.type === "ready" ? (
        <Button
          size="sm"
          variant={modeOf(plan.mode)}
          icon={<Play aria-hidden />}
          onClick={() => void onCommand({ type: "start", mode: null })}
        >
          {t("plan.run")}
        </Button>
      ) : (
        <Button
          size="sm"
          disabled={stopping}
          icon={stopping ? <Spinner /> : <Square aria-hidden />}
          onClick={stop}
        >
          {stopping ? t("plan.stopping") : t("plan.stop")}
        </Button>
      )}
    </div>
  );
}

type RevisionProps = Pick<Props, "plan" | "session" | "onCompare" | "onUndo" | "kept">;

function RevisionMenu(props: RevisionProps) {
  const { revision } = props.plan;
  return (
    <Menu
      wide
      items={() => revisionItems(props)}
      trigger={
        <button
          type="button"
          aria-label={`${t("plan.revisions")}: r${revision}`}
          className="inline-flex h-[19px] shrink-0 items-center gap-1 rounded-sm border border-line bg-panel px-1.5 text-xs font-medium text-ink-2 tabular-nums hover:border-line-strong"
        >
          r{revision}
          <ChevronDown aria-hidden className="size-3" />
        </button>
      }
    />
  );
}

/** Those that the present one can be compared with, and those that can be gone back to. */
function revisionItems({ plan, session, onCompare, onUndo, kept }: RevisionProps): MenuItem[] {
  const numbers = stepNumbers(plan);
  const newestFirst = session.revisions.toReversed();
  const items: MenuItem[] = newestFirst.map((entry): MenuItem => {
    const cause = plan.steps.find((step) => step.id === entry.stepId);
    const present = entry.revision === plan.revision;
    return {
      id: String(entry.revision),
      disabled: present,
      icon: <GitCompareArrows aria-hidden className={present ? "invisible" : undefined} />,
      label: (
        <span className="grid text-sm">
          <span className="font-semibold">
            {present ? `r${entry.revision}` : t("plan.compareWith", { revision: entry.revision })}{" "}
            <span className="font-normal text-ink-3">
              {entry.revision === 1
                ? t("plan.revisionFirst")
                : t("plan.revisionBy", { author: authorName(entry.author) })}
            </span>
          </span>
          {entry.revision > 1 ? (
            <span className="text-ink-2">
              {cause ? `${numbers.get(cause.id) ?? ""} ${cause.title}: ` : ""}
              {entry.reason}
            </span>
          ) : null}
        </span>
      ),
      aside: formatClock(entry.at),
      onSelect: () => onCompare(entry.revision),
    };
  });
  if (onUndo) {
    items.push(
      { type: "separator", id: "back" },
      { type: "heading", id: "back-heading", label: t("undo.backHeading") },
    );
    for (const { revision } of newestFirst) {
      const back = undoableRun(session, kept, revision);
      items.push({
        id: `back-${revision}`,
        icon: <Undo2 aria-hidden />,
        label: <span className="text-sm">{t("undo.backTo", { revision })}</span>,
        hint:
          back.type === "cannot" ? back.why : back.type === "undone" ? t("undo.why.runUndone") : undefined,
        disabled: back.type !== "can",
        onSelect: () => onUndo({ type: "revision", planId: plan.id, revision }),
      });
    }
  }
  return items;
}
