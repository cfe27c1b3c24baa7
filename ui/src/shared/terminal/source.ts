/* Where a terminal's output comes from and where what is typed goes. */
import type { TerminalInput, TerminalScreen } from "@/ipc/bindings";

/** More of what a terminal shows: the pieces behind number `after`, up to `upto`. */
export type TerminalNews = { after: number; upto: number; text: string };

export interface TerminalSource {
  /** What it shows now; null when that is kept no longer. */
  screen(): Promise<TerminalScreen | null>;
  /** Hears of more; returns the way to stop. */
  onNews(listener: (news: TerminalNews) => void): () => void;
  send(input: TerminalInput): Promise<void>;
}
