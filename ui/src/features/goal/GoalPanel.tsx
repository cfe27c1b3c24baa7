/* The right-hand side of a goal session: what is wanted, how far it is, and the to-do list. */
import type { ReactNode } from "react";
import { t } from "@/i18n";
import type { Command, GoalState, SessionState, Settings } from "@/ipc/bindings";
import { GoalFigures } from "./GoalFigures";
import { GoalHeader } from "./GoalHeader";
import { GoalSaid } from "./GoalSaid";
import { TodoHistory } from "./TodoHistory";
import { TodoList } from "./TodoList";

type Props = {
  session: SessionState;
  goal: GoalState;
  settings: Settings | null;
  /** Told to pause, which it does when what runs has ended. */
  pausing: boolean;
  /** Never rejects: errors are shown by the shell. */
  onCommand: (command: Command) => Promise<void>;
  /** Counts up whenever the field for a new to-do should take the focus. */
  wantsField: number;
  /** At the right of the title row. */
  headerExtra?: ReactNode;
  /** Under the list. */
  services?: ReactNode;
};

export function GoalPanel({
  session,
  goal,
  settings,
  pausing,
  onCommand,
  wantsField,
  headerExtra,
  services,
}: Props) {
  return (
    <section aria-label={t("goal.panel.label")} className="@container flex min-h-0 flex-1 flex-col">
      <GoalHeader goal={goal} pausing={pausing} onCommand={onCommand} extra={headerExtra} />
      <div className="min-h-0 flex-1 overflow-y-auto overscroll-contain">
        <GoalFigures session={session} goal={goal} settings={settings} />
        <GoalSaid goal={goal} />
        <TodoList key={goal.id} sessionId={session.id} goal={goal} wantsField={wantsField} />
        <TodoHistory {...goal} />
      </div>
      {services}
    </section>
  );
}
