/* The bottom line: who leads, with what, how careful, how far. */
import { Flag, GraduationCap, HeartPulse, ListOrdered, Shield, Undo2, Zap } from "lucide-react";
import type { ReactNode } from "react";
import { ModelMeter } from "@/features/models";
import { DueNotice } from "@/features/settings/DueNotice";
import { t } from "@/i18n";
import type { Mode, SessionState } from "@/ipc/bindings";
import { cx } from "@/shared/cx";
import { openGoalOf, standingOf } from "@/shared/goal";
import { keptIn, undoableSteps } from "@/shared/undo";
import { asksForChanges, useApp } from "@/state/store";
import { repairsOf, statusOf, stepsDone } from "@/state/summary";

type Shown = { name: string; ground: string; icon: ReactNode };

function shownMode(mode: Mode): Shown {
  switch (mode) {
    case "teacher":
      return { name: t("mode.teacher"), ground: "bg-teacher-fill", icon: <GraduationCap aria-hidden /> };
    case "planner":
    case "fixer":
      return { name: t("mode.planner"), ground: "bg-planner-fill", icon: <ListOrdered aria-hidden /> };
    case "agentic":
      return { name: t("mode.agentic"), ground: "bg-agentic-fill", icon: <Zap aria-hidden /> };
  }
}

function runState(session: SessionState | null): string {
  const talking = Boolean(session?.conversation?.turn);
  const goal = openGoalOf(session);
  if (goal && !talking) {
    const { iteration, iterationsAllowed: allowed } = goal;
    const { word } = standingOf(goal);
    return iteration === 0 ? word : `${word} · ${t("goal.statusBar", { iteration, allowed })}`;
  }
  if (!session || !(session.plan || talking)) return t("status.idle");
  const status = statusOf(session);
  const word = t(`sessions.status.${status}`);
  if (status !== "running" || talking || !session.plan) return word;
  const steps = session.plan.steps.length;
  return `${word} · ${t("status.step", { step: Math.min(stepsDone(session) + 1, steps), steps })}`;
}

export function StatusBar() {
  const session = useApp((store) => store.session);
  const settings = useApp((store) => store.settings);
  const { name, ground, icon } = openGoalOf(session)
    ? { name: t("goal.panel.label"), ground: "bg-agentic-fill", icon: <Flag aria-hidden /> }
    : shownMode(session?.plan?.mode ?? settings?.defaultMode ?? "planner");
  const repairs = session ? repairsOf(session) : 0;
  const undoable = session ? undoableSteps(session, keptIn(session)) : 0;
  const careful = useApp(asksForChanges) ? t("status.asksCaution") : t("status.asksDanger");
  return (
    <footer className="pane flex h-7 shrink-0 items-center gap-4 overflow-hidden border-t border-line bg-bg px-3 text-xs whitespace-nowrap text-ink-2 [&_svg]:size-3 [&_svg]:shrink-0">
      <span
        className={cx(
          "inline-flex h-[17px] items-center gap-1 rounded-full px-2 font-semibold text-on-fill",
          ground,
        )}
      >
        {icon}
        {name}
      </span>
      <ModelMeter />
      <Item icon={<Shield aria-hidden />}>{careful}</Item>
      <DueNotice />
      <span className="ml-auto tabular-nums">{runState(session)}</span>
      <Item icon={<HeartPulse aria-hidden />}>
        {repairs === 0 ? t("status.noRepairs") : t("sessions.repairs", { count: repairs })}
      </Item>
      {undoable > 0 ? (
        <Item icon={<Undo2 aria-hidden />}>{t("undo.status", { count: undoable })}</Item>
      ) : null}
    </footer>
  );
}

function Item({ icon, children }: { icon: ReactNode; children: ReactNode }) {
  return (
    <span className="inline-flex items-center gap-1.5 tabular-nums">
      {icon}
      {children}
    </span>
  );
}
