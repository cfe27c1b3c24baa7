/* From a terminal's pieces to what draws them: in order, none twice. Where pieces are missing, or come faster than they are
   drawn, the screen as it is takes their place: nothing freezes, and nobody waits. */
import type { TerminalScreen } from "@/ipc/bindings";
import type { TerminalNews } from "./source";

/** Characters that may wait to be drawn. */
export const MAX_WAITING = 256 * 1024;
/** Between two screens that are asked for. */
const REST_MS = 100;

export type FeedTarget = {
  /** Draws more, and says when that is done. */
  write(text: string, drawn: () => void): void;
  /** Empties the terminal, for a screen of this size. */
  restart(screen: TerminalScreen): void;
};

export class Feed {
  readonly #target: FeedTarget;
  readonly #screen: () => Promise<TerminalScreen | null>;
  #seen: number | null = null;
  #waiting = 0;
  #behind = false;
  #asking = false;
  #meanwhile: TerminalNews[] = [];
  #stopped = false;

  constructor(target: FeedTarget, screen: () => Promise<TerminalScreen | null>) {
    this.#target = target;
    this.#screen = screen;
  }

  /** Draws the screen as it is. False when there is none. */
  async start(): Promise<boolean> {
    return this.#restart();
  }

  stop(): void {
    this.#stopped = true;
  }

  take(news: TerminalNews): void {
    if (this.#stopped) return;
    if (this.#asking || this.#seen === null) {
      // More than a few of these are a flood, and then the next screen tells it all.
      if (this.#meanwhile.length < 64) this.#meanwhile.push(news);
      else this.#behind = true;
      return;
    }
    if (news.upto <= this.#seen && news.after < this.#seen) return;
    if (news.after !== this.#seen || this.#waiting > MAX_WAITING) {
      this.#fallBehind();
      return;
    }
    this.#seen = news.upto;
    this.#draw(news.text);
  }

  #draw(text: string): void {
    this.#waiting += text.length;
    this.#target.write(text, () => {
      this.#waiting -= text.length;
      if (this.#waiting === 0 && this.#behind) this.#catchUp();
    });
  }

  #fallBehind(): void {
    this.#behind = true;
    if (this.#waiting === 0) this.#catchUp();
  }

  #catchUp(): void {
    this.#behind = false;
    this.#seen = null;
    setTimeout(() => void this.#restart(), REST_MS);
  }

  async #restart(): Promise<boolean> {
    if (this.#stopped || this.#asking) return true;
    this.#asking = true;
    const screen = await this.#screen().catch(() => null);
    this.#asking = false;
    if (this.#stopped) return true;
    const meanwhile = this.#meanwhile;
    this.#meanwhile = [];
    if (screen === null) return false;
    this.#target.restart(screen);
    this.#seen = screen.upto;
    const missed = this.#behind;
    this.#behind = false;
    this.#draw(screen.text);
    for (const news of meanwhile) this.take(news);
    if (missed) this.#fallBehind();
    return true;
  }
}
