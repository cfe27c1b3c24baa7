/**
 * Splits a command for display: what to colour, what to underline, which characters cannot be seen.
 * Looks only. It is not a shell parser and nothing may be decided by it; the engine assesses commands.
 */
export type TokenKind = "program" | "flag" | "string" | "variable" | "operator" | "comment" | "plain";

export type Token = { kind: TokenKind; start: number; end: number };

const SPACE = /\s/;
const OPERATOR = /[|&;<>()]/;
/** Words after which another program follows. */
const PREFIXES = new Set([
  "sudo",
  "doas",
  "env",
  "nohup",
  "time",
  "exec",
  "command",
  "then",
  "do",
  "else",
  "!",
  "{",
]);

/** Tokens cover the whole text in order; offsets are UTF-16 positions. */
export function tokenizeShell(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  let atCommand = true;
  const push = (kind: TokenKind, end: number) => {
    tokens.push({ kind, start: at, end });
    at = end;
  };
  const run = (from: number, test: RegExp) => {
    let end = from;
    while (end < text.length && test.test(text.charAt(end))) end += 1;
    return end;
  };
  while (at < text.length) {
    const char = text.charAt(at);
    if (char === "\n") {
      push("plain", at + 1);
      atCommand = true;
    } else if (SPACE.test(char)) {
      let end = at + 1;
      while (end < text.length && SPACE.test(text.charAt(end)) && text.charAt(end) !== "\n") end += 1;
      push("plain", end);
    } else if (char === "#" && (at === 0 || SPACE.test(text.charAt(at - 1)))) {
      const end = text.indexOf("\n", at);
      push("comment", end === -1 ? text.length : end);
    } else if (OPERATOR.test(char)) {
      const end = run(at, OPERATOR);
      const redirect = /^[<>]+&?$/.test(text.slice(at, end));
      push("operator", end);
      atCommand = !redirect;
    } else if (char === "'" || char === '"') {
      push("string", endOfString(text, at));
      atCommand = false;
    } else if (char === "$") {
      push("variable", endOfVariable(text, at));
      atCommand = false;
    } else {
      const end = endOfWord(text, at);
      const word = text.slice(at, end);
      if (word.startsWith("-")) push("flag", end);
      else if (atCommand && /^[A-Za-z_]\w*=/.test(word)) push("plain", end);
      else if (atCommand) {
        push("program", end);
        atCommand = PREFIXES.has(word);
      } else push("plain", end);
    }
  }
  return tokens;
}

function endOfString(text: string, start: number): number {
  const quote = text.charAt(start);
  for (let at = start + 1; at < text.length; at += 1) {
    if (quote === '"' && text.charAt(at) === "\\") at += 1;
    else if (text.charAt(at) === quote) return at + 1;
  }
  return text.length;
}

function endOfVariable(text: string, start: number): number {
  const match = /^\$(?:\{[^}]*\}|\w+|[?$!#@*-])?/.exec(text.slice(start));
  return start + (match?.[0].length ?? 1);
}

function endOfWord(text: string, start: number): number {
  let at = start;
  while (at < text.length) {
    const char = text.charAt(at);
    if (char === "\\") at += 2;
    else if (SPACE.test(char) || OPERATOR.test(char) || char === "'" || char === '"' || char === "$") break;
    else at += 1;
  }
  return Math.min(Math.max(at, start + 1), text.length);
}

export type HiddenKind = "bidi" | "zeroWidth" | "space" | "control" | "other";

export type HiddenCharacter = { start: number; end: number; code: string; kind: HiddenKind };

const BIDI = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
const ZERO_WIDTH = /\p{Default_Ignorable_Code_Point}/u;
// Fillers and the empty Braille cell are letters to Unicode and blanks to the eye.
const HIDDEN = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** Characters that people cannot see or that reorder what they see; plain space, tab and newline are none. */
export function hiddenCharacters(text: string): HiddenCharacter[] {
  const found: HiddenCharacter[] = [];
  for (const match of text.matchAll(HIDDEN)) {
    const char = match[0];
    if (char === " " || char === "\n" || char === "\t") continue;
    found.push({
      start: match.index,
      end: match.index + char.length,
      code: codeOf(char),
      kind: kindOf(char),
    });
  }
  return found;
}

function codeOf(char: string): string {
  return `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}

function kindOf(char: string): HiddenKind {
  if (BIDI.test(char)) return "bidi";
  if (/[\p{Zs}\u2800\u3164]/u.test(char)) return "space";
  if (ZERO_WIDTH.test(char)) return "zeroWidth";
  if (/\p{Cc}/u.test(char)) return "control";
  return "other";
}

/** A range given in Unicode scalar values, as UTF-16 offsets. */
export function scalarRange(text: string, start: number, length: number): { start: number; end: number } {
  let scalar = 0;
  let from = text.length;
  let offset = 0;
  for (const char of text) {
    if (scalar === start) from = offset;
    if (scalar === start + length) return { start: from, end: offset };
    offset += char.length;
    scalar += 1;
  }
  return { start: Math.min(from, text.length), end: text.length };
}
