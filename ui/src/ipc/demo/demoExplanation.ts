import type { Explanation } from "../bindings";
import { assessment } from "./photoServer";

const MEANINGS: Record<string, string> = {
  git: "keeps the history of files",
  clone: "copies a repository with its whole history into a new folder",
  "&&": "go on only if that worked",
  cd: "later steps run inside this folder",
  pip: "installs Python packages",
  install: "adds packages",
  sudo: "runs the rest as root",
};

/** What the demonstration says of a command. */
export function explanationOf(command: string): Explanation {
  const parts = command.split(/\s+/).map((text) => ({
    text,
    meaning: MEANINGS[text] ?? "not known here",
    known: text in MEANINGS,
    source: text in MEANINGS ? ("tables" as const) : ("nowhere" as const),
  }));
  return {
    command,
    parts,
    flow: [],
    reads: [],
    changes: ["makes ~/photo-server, about 40 MB"],
    undo: { type: "by-hand", how: "move that folder to the trash" },
    undoCommands: ["gio trash ~/photo-server"],
    safer: [],
    expect: "“Cloning into …”, then done",
    assessment: assessment("caution"),
    source: "built-in knowledge",
  };
}
