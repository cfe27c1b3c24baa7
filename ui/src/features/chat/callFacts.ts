/* What a tool call is about, for people: from the tool's name and from arguments that a model wrote, which may be broken
   or of any shape. Pure. Nothing may be decided by it. */
import { t } from "@/i18n";
import type { CallState, ChatEntry, StepId } from "@/ipc/bindings";
import { pathFrom } from "@/shared/DiffView";

export type CallEntry = Extract<ChatEntry, { type: "call" }>;

export type CallKind =
  | "run"
  | "read"
  | "list"
  | "search"
  | "write"
  | "edit"
  | "ask"
  | "plan"
  | "eval"
  | "consult"
  | "other";

const KINDS: Record<string, CallKind> = {
  shell: "run",
  read_file: "read",
  list_dir: "list",
  search: "search",
  write_file: "write",
  edit_file: "edit",
  multi_file_edit: "edit",
  ask_user: "ask",
  create_plan: "plan",
  eval: "eval",
  ai_consult: "consult",
};

export function kindOf(tool: string): CallKind {
  return Object.hasOwn(KINDS, tool) ? (KINDS[tool] ?? "other") : "other";
}

/** Calls that only look at things. Several in a row are shown as one line. */
export function looksOnly(tool: string): boolean {
  const kind = kindOf(tool);
  return kind === "read" || kind === "list" || kind === "search";
}

/** What the call acts on; `code` is text to be shown exactly. */
export type Subject = { text: string; code: boolean };

export function subjectOf(call: Pick<CallEntry, "tool" | "input" | "state">, root: string): Subject {
  const given = argumentsIn(call.input);
  const word = (...names: string[]) =>
    names.map((name) => given[name]).find((one) => typeof one === "string");
  switch (kindOf(call.tool)) {
    case "run":
      return { text: commandOf(call.state) ?? word("command") ?? "", code: true };
    case "read":
    case "write":
      return { text: pathFrom(root, word("path", "file_path", "file") ?? ""), code: true };
    case "list": {
      const folder = pathFrom(root, word("path", "dir", "folder") ?? "");
      if (folder === "" || folder === "." || folder === root) {
        return { text: t("chat.call.thisFolder"), code: false };
      }
      return { text: folder, code: true };
    }
    case "search":
      return { text: word("pattern", "query", "text") ?? "", code: true };
    case "edit": {
      const paths = pathsOf(call.state, given);
      const [only] = paths;
      if (!only) return { text: t("chat.call.someFiles"), code: false };
      if (paths.length === 1) return { text: pathFrom(root, only), code: true };
      return { text: t("chat.call.files", { count: paths.length }), code: false };
    }
    case "ask":
      return { text: word("question", "text", "prompt") ?? "", code: false };
    case "plan":
      return { text: word("title", "request", "goal") ?? "", code: false };
    case "eval":
      return { text: word("script") ?? "", code: true };
    case "consult":
      return { text: word("question") ?? "", code: false };
    case "other":
      return { text: call.tool, code: true };
  }
}

/** The exact command, once the engine has read the call. */
function commandOf(state: CallState): string | undefined {
  const action = state.type === "running" || state.type === "ended" ? state.action : null;
  return action?.type === "shell" ? action.command : undefined;
}

function pathsOf(state: CallState, given: Record<string, unknown>): string[] {
  if (state.type === "ended" && state.result.diffs.length > 0) {
    return state.result.diffs.map((diff) => diff.path);
  }
  const lists = [given.edits, given.files].flatMap((list) => (Array.isArray(list) ? list : []));
  const named = [given, ...lists].flatMap((one: unknown) => {
    const { path, file_path: filePath } = (one ?? {}) as Record<string, unknown>;
    return [path ?? filePath].filter((name) => typeof name === "string");
  });
  return [...new Set(named)];
}

function argumentsIn(input: string): Record<string, unknown> {
  try {
    const read: unknown = JSON.parse(input);
    return typeof read === "object" && read !== null ? (read as Record<string, unknown>) : {};
  } catch {
    // A model's JSON may be broken; the call then shows its tool and its result.
    return {};
  }
}

/** In which tense a call is spoken of: one that never ran was only wanted. */
export function tenseOf(state: CallState): "wants" | "doing" | "done" {
  switch (state.type) {
    case "waiting":
    case "awaiting-approval":
      return "wants";
    case "running":
      return "doing";
    case "ended":
      return state.action === null && state.result.outcome !== "success" ? "wants" : "done";
  }
}

/** A call in a few words, without its exact text: the title of its output. */
export function callInWords(call: CallEntry, root: string): string {
  return `${t(`chat.call.verb.${kindOf(call.tool)}.${tenseOf(call.state)}`)} ${subjectOf(call, root).text}`.trim();
}

/** "Read 3 files, searched 2 times." */
export function looksInWords(calls: CallEntry[]): string {
  const words = (["read", "list", "search"] as const).flatMap((kind) => {
    const count = calls.filter((call) => kindOf(call.tool) === kind).length;
    return count > 0 ? [t(`chat.call.${kind}`, { count })] : [];
  });
  const text = words.join(", ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function failedIn(calls: CallEntry[]): number {
  return calls.filter((call) => call.state.type === "ended" && call.state.result.outcome === "error").length;
}

/** What an open question about a call is known by. */
export function questionOf(state: CallState): StepId | null {
  return state.type === "awaiting-approval" ? state.approvalId : null;
}
