/* The terminal in the window's own colours and type, whichever theme is shown. */
import type { ITerminalOptions, ITheme, Terminal } from "@xterm/xterm";

const ANSI = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"] as const;

/** Links and titles that a program sends do nothing here. */
export const OPTIONS: ITerminalOptions = {
  fontSize: 13,
  lineHeight: 1.25,
  scrollback: 2_000,
  screenReaderMode: true,
  // Text stays legible whatever colours a program chooses.
  minimumContrastRatio: 4.5,
  linkHandler: { activate: () => undefined },
};

function themeNow(): ITheme {
  const style = getComputedStyle(document.documentElement);
  const token = (name: string) => style.getPropertyValue(name).trim();
  const colours = Object.fromEntries(
    ANSI.flatMap((name) => {
      const colour = token(`--ansi-${name}`);
      return [
        [name, colour],
        [`bright${name[0]?.toUpperCase()}${name.slice(1)}`, colour],
      ];
    }),
  );
  const [ground, ink] = [token("--term"), token("--term-ink")];
  const selection = { selectionBackground: token("--term-dim"), selectionForeground: ground };
  return { ...colours, background: ground, foreground: ink, cursor: ink, cursorAccent: ground, ...selection };
}

/** Keeps the terminal in the theme that is shown; returns the way to stop. */
export function followTheme(terminal: Terminal): () => void {
  const follow = () => {
    terminal.options.theme = themeNow();
    terminal.options.fontFamily = getComputedStyle(document.documentElement).getPropertyValue("--font-mono");
  };
  follow();
  const changes = new MutationObserver(follow);
  changes.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
  return () => changes.disconnect();
}
