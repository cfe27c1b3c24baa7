/* What is typed, on its way: in order, one call at a time, whatever gathers meanwhile in the next. Nothing keeps it. */
import type { TerminalInput } from "@/ipc/bindings";

export class Typing {
  readonly #send: (input: TerminalInput) => Promise<void>;
  readonly #failed: (thrown: unknown) => void;
  #text = "";
  #size: { rows: number; cols: number } | null = null;
  #sending = false;

  constructor(send: (input: TerminalInput) => Promise<void>, failed: (thrown: unknown) => void) {
    this.#send = send;
    this.#failed = failed;
  }

  type(text: string): void {
    this.#text += text;
    void this.#flush();
  }

  resize(rows: number, cols: number): void {
    this.#size = { rows, cols };
    void this.#flush();
  }

  async #flush(): Promise<void> {
    if (this.#sending) return;
    this.#sending = true;
    try {
      for (;;) {
        const input = this.#next();
        if (input === null) return;
        await this.#send(input);
      }
    } catch (thrown) {
      this.#text = "";
      this.#failed(thrown);
    } finally {
      this.#sending = false;
    }
  }

  #next(): TerminalInput | null {
    if (this.#size !== null) {
      const size = this.#size;
      this.#size = null;
      return { type: "size", ...size };
    }
    if (this.#text === "") return null;
    const text = this.#text;
    this.#text = "";
    return { type: "text", text };
  }
}
