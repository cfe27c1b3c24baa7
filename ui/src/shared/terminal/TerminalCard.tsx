/**
 * A program at a terminal, with the reader at its keyboard: every key goes to the program but the one that leaves. When it
 * has ended its last screen stays, to be read.
 */
import { FitAddon } from "@xterm/addon-fit";
import { Terminal } from "@xterm/xterm";
import { SquareTerminal } from "lucide-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { t } from "@/i18n";
import { Button } from "../Button";
import { Kbd } from "../Kbd";
import { Feed } from "./feed";
import { isCopyKey, isLeaveKey, isPasteKey, LEAVE_KEYS, linesOf } from "./keys";
import type { TerminalSource } from "./source";
import { followTheme, OPTIONS } from "./theme";
import { Typing } from "./typing";
import "@xterm/xterm/css/xterm.css";
import "./terminalCard.css";

type Props = {
  source: TerminalSource;
  /** Whose terminal it is, for names. */
  title: string;
  running: boolean;
  /** Stands here when no screen is kept. */
  fallback?: ReactNode;
  /** Under the last screen, as the exit status. */
  footer?: ReactNode;
};

export function TerminalCard({ source, title, running, fallback = null, footer }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const endButton = useRef<HTMLButtonElement>(null);
  const terminal = useRef<Terminal | null>(null);
  const [gone, setGone] = useState(false);
  const [inside, setInside] = useState(false);
  const [pasting, setPasting] = useState<string | null>(null);
  const [trouble, setTrouble] = useState<string | null>(null);
  const name = t("shared.terminal.label", { title });

  useEffect(() => {
    const host = place.current;
    if (!host) return;
    const term = new Terminal({ ...OPTIONS, disableStdin: !running, cursorBlink: false });
    terminal.current = term;
    const fit = new FitAddon();
    term.loadAddon(fit);
    term.open(host);
    term.textarea?.setAttribute("aria-label", name);
    const stopTheme = followTheme(term);

    const typing = new Typing(source.send, (thrown) => setTrouble(messageOf(thrown)));
    const feed = new Feed(
      {
        write: (text, drawn) => term.write(text, drawn),
        restart: (screen) => {
          term.reset();
          if (!running) term.resize(screen.cols, screen.rows);
        },
      },
      source.screen,
    );
    const stopNews = source.onNews((news) => feed.take(news));
    let live = true;
    void feed.start().then((found) => live && !found && !running && setGone(true));

    const disposables: { dispose(): void }[] = [];
    const sizes = new ResizeObserver(() => requestAnimationFrame(() => live && running && fit.fit()));
    if (running) {
      disposables.push(
        term.onData((text) => typing.type(text)),
        term.onBinary((text) => typing.type(text)),
        term.onResize(({ rows, cols }) => typing.resize(rows, cols)),
      );
      fit.fit();
      typing.resize(term.rows, term.cols);
      sizes.observe(host);
    }
    term.attachCustomKeyEventHandler((event) => {
      if (isLeaveKey(event)) {
        event.preventDefault();
        if (event.type === "keydown") endButton.current?.focus();
        return false;
      }
      if (isCopyKey(event)) {
        event.preventDefault();
        if (event.type === "keydown" && term.hasSelection()) {
          // The clipboard may be refused; then nothing was copied.
          void navigator.clipboard.writeText(term.getSelection()).catch(() => undefined);
        }
        return false;
      }
      // The browser's own paste comes as an event.
      return !isPasteKey(event);
    });
    const onPaste = (event: ClipboardEvent) => {
      const text = event.clipboardData?.getData("text/plain") ?? "";
      // A program that knows what is pasted takes lines as text; any other takes each end of a line for Enter.
      if (!running || term.modes.bracketedPasteMode || linesOf(text) < 2) return;
      event.preventDefault();
      event.stopPropagation();
      setPasting(text);
    };
    host.addEventListener("paste", onPaste, { capture: true });
    return () => {
      live = false;
      host.removeEventListener("paste", onPaste, { capture: true });
      sizes.disconnect();
      stopNews();
      feed.stop();
      stopTheme();
      for (const disposable of disposables) disposable.dispose();
      terminal.current = null;
      term.dispose();
    };
  }, [source, running, name]);

  // A program that has just started is what the reader asked for: the keys go to it, unless they are busy elsewhere.
  useEffect(() => {
    const busy =
      document.activeElement instanceof HTMLTextAreaElement || document.querySelector("[role=alertdialog]");
    if (running && !busy) terminal.current?.focus();
  }, [running]);

  if (gone) return fallback;
  const end = () => source.send({ type: "end" }).catch((thrown) => setTrouble(messageOf(thrown)));
  const answerPaste = (yes: boolean) => {
    if (yes && pasting !== null) terminal.current?.paste(pasting);
    setPasting(null);
    terminal.current?.focus();
  };
  return (
    <section aria-label={name} className="overflow-hidden rounded-sm bg-term text-sm text-term-ink">
      <header className="flex min-h-8 flex-wrap items-center gap-x-3 gap-y-1 py-1 pr-1.5 pl-3 text-xs text-term-dim">
        <SquareTerminal aria-hidden className="size-3.5" />
        <span className="text-term-ink">{t("shared.terminal.title")}</span>
        {running ? (
          <>
            <span className="min-w-0 flex-1">
              {inside ? t("shared.terminal.leave") : t("shared.terminal.enter")}{" "}
              {inside ? <Kbd keys={LEAVE_KEYS} /> : null}
            </span>
            <Button ref={endButton} size="sm" onClick={end}>
              {t("shared.terminal.end")}
            </Button>
          </>
        ) : (
          <span>{t("shared.terminal.ended")}</span>
        )}
      </header>
      {pasting !== null ? <PasteQuestion lines={linesOf(pasting)} onAnswer={answerPaste} /> : null}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the terminal inside is the control; its keys are no shortcuts here. */}
      <div
        ref={place}
        data-terminal
        className={running ? "pw-terminal pw-terminal-running" : "pw-terminal"}
        onFocus={() => setInside(true)}
        onBlur={() => setInside(false)}
        onKeyDown={(event) => event.stopPropagation()}
      />
      {trouble ? (
        <p role="alert" className="px-3 pb-2 text-term-error">
          {trouble}
        </p>
      ) : null}
      {footer ? <div className="px-3 pb-2 font-mono text-term-dim">{footer}</div> : null}
    </section>
  );
}

function PasteQuestion({ lines, onAnswer }: { lines: number; onAnswer: (yes: boolean) => void }) {
  const no = useRef<HTMLButtonElement>(null);
  useEffect(() => no.current?.focus(), []);
  return (
    <fieldset
      aria-label={t("shared.terminal.pasteLabel")}
      className="flex flex-wrap items-center gap-2 border-y border-term-dim px-3 py-2"
    >
      <p className="min-w-0 flex-1 basis-60">{t("shared.terminal.paste", { count: lines })}</p>
      <Button ref={no} size="sm" onClick={() => onAnswer(false)}>
        {t("shared.terminal.pasteNo")}
      </Button>
      <Button size="sm" onClick={() => onAnswer(true)}>
        {t("shared.terminal.pasteYes")}
      </Button>
    </fieldset>
  );
}

function messageOf(thrown: unknown): string | null {
  const known = typeof thrown === "object" && thrown !== null && "message" in thrown && "code" in thrown;
  if (!known) return t("shared.terminal.lost");
  // It ended while a key was pressed: that shows by itself.
  return thrown.code === "not-now" ? null : String(thrown.message);
}
