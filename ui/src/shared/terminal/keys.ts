/* The few keys at a terminal that are not the program's. */

/** As `Kbd` writes it. */
export const LEAVE_KEYS = "Mod+Shift+Escape";

type Key = Pick<KeyboardEvent, "key" | "code" | "ctrlKey" | "metaKey" | "shiftKey" | "altKey">;

function isChord(event: Key): boolean {
  return (event.ctrlKey || event.metaKey) && event.shiftKey && !event.altKey;
}

/** Leaves the terminal; Tab and Escape are the program's. */
export function isLeaveKey(event: Key): boolean {
  return isChord(event) && event.key === "Escape";
}

export function isCopyKey(event: Key): boolean {
  return isChord(event) && event.code === "KeyC";
}

export function isPasteKey(event: Key): boolean {
  const insert = event.key === "Insert" && event.shiftKey && !event.ctrlKey && !event.altKey;
  return insert || (isChord(event) && event.code === "KeyV");
}

/** How many lines a text would be typed as. */
export function linesOf(text: string): number {
  return text.replace(/\r?\n$/, "").split(/\r\n|\r|\n/).length;
}
