/* What the host in memory pretends to keep: sizes made up from each session, a trash, and the rule for keeping. */
import type { SessionId, SessionStorage, SessionSummary, Settings, StorageUse } from "../bindings";

const DAY = 24 * 60 * 60 * 1000;
const RESTS = ["empty", "completed", "failed", "cancelled"];

export class FakeStorage {
  trashKib = 0;
  damagedKib = 0;
  /** How often the folder was opened. */
  opened = 0;

  use(sessions: SessionSummary[], settings: Settings, now: number): StorageUse {
    const kept = sessions.map(sized);
    return {
      folder: "/home/ada/.local/share/planwright",
      sessions: kept,
      recordKib: kept.reduce((sum, { recordKib }) => sum + recordKib, 256),
      trashKib: this.trashKib,
      damagedKib: this.damagedKib,
      freeKib: 42 * 1024 * 1024,
      due: due(kept, settings, now),
    };
  }

  throwAway(session: SessionSummary): void {
    const { recordKib, outputKib, keptKib } = sized(session);
    this.trashKib += recordKib + outputKib + keptKib;
  }
}

function sized(session: SessionSummary): SessionStorage {
  const isOpen = !RESTS.includes(session.status);
  const steps = session.stepsDone;
  return {
    session,
    recordKib: 12 + 9 * session.steps,
    outputKib: 310 * steps,
    keptKib: 1500 * steps,
    isOpen,
  };
}

function due(kept: SessionStorage[], settings: Settings, now: number): SessionId[] {
  const days = settings.keepDays ?? null;
  if (days === null) return [];
  const old = kept.filter(
    ({ isOpen, session }) => !isOpen && now - Date.parse(session.updatedAt) > days * DAY,
  );
  return old.map(({ session }) => session.id).reverse();
}
