/* What the demonstration has to show of safety: rules that were made, past commands that they are compared with, trials of
   commands on copies, and a session that waits elsewhere with two questions. Data, and a likeness of the engine's matching
   that is only good enough for a demonstration. */

import { textOf } from "@/shared/steps";
import { begin } from "@/state/fold";
import type {
  Approval,
  ChatEntry,
  Forecast,
  Grant,
  GrantPreview,
  GrantRule,
  PastCommand,
  SessionState,
} from "../bindings";
import { assessment, DEMO_FOLDER, reason } from "./photoServer";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Rules of each kind, in force and ended; `now` in milliseconds. */
export function demoGrants(now: number): Grant[] {
  const at = (ago: number) => new Date(now - ago).toISOString();
  const rule = (id: string, more: Partial<Grant> & Pick<Grant, "rule">): Grant => ({
    id,
    allow: true,
    lifetime: "always",
    boundTo: "",
    createdAt: at(60 * DAY),
    lastUsedAt: null,
    uses: 0,
    expiresAt: null,
    ...more,
  });
  return [
    rule("grant-fetch", {
      rule: { type: "program", words: ["git", "fetch"] },
      lifetime: "folder",
      boundTo: DEMO_FOLDER,
      lastUsedAt: at(30 * HOUR),
      uses: 12,
      expiresAt: at(-60 * DAY),
    }),
    rule("grant-test", {
      rule: { type: "program", words: ["pytest"] },
      lastUsedAt: at(2 * HOUR),
      uses: 41,
      expiresAt: at(-90 * DAY),
    }),
    rule("grant-edit", {
      rule: { type: "tool", tool: "edit_file" },
      lifetime: "session",
      boundTo: "demo-packages",
      lastUsedAt: at(0.7 * HOUR),
      uses: 3,
      expiresAt: at(-90 * DAY),
    }),
    rule("grant-old", {
      rule: { type: "exact", command: "./deploy.sh staging" },
      lastUsedAt: at(95 * DAY),
      uses: 4,
      expiresAt: at(5 * DAY),
    }),
    rule("never-push", {
      allow: false,
      rule: { type: "program", words: ["git", "push", "--force"] },
      lastUsedAt: at(8 * DAY),
      uses: 1,
    }),
  ];
}

export function demoPast(now: number): PastCommand[] {
  const commands: [command: string, cwd: string, hoursAgo: number, times: number][] = [
    ["git fetch origin", DEMO_FOLDER, 3, 6],
    ["git fetch --tags origin", DEMO_FOLDER, 30, 2],
    ["git fetch upstream main", "/home/ada/atlas", 52, 4],
    ["pytest -q", DEMO_FOLDER, 2, 31],
    ["pytest tests/test_albums.py", DEMO_FOLDER, 26, 10],
    ["git push --force origin main", "/home/ada/atlas", 190, 1],
    ["rm -r build", DEMO_FOLDER, 20, 3],
    ["./manage.py migrate", DEMO_FOLDER, 28, 2],
    ["curl -fsS localhost:8000/health", DEMO_FOLDER, 1, 9],
  ];
  return commands.map(([command, cwd, hoursAgo, times]) => ({
    command,
    cwd,
    times,
    lastAt: new Date(now - hoursAgo * HOUR).toISOString(),
  }));
}

/** Matching good enough for a demonstration: the engine reads the shell, this reads words. */
export function previewOf(rule: GrantRule, past: PastCommand[]): GrantPreview {
  return { lookedAt: past.length, covered: past.filter(({ command }) => covers(rule, command)), more: 0 };
}

function covers(rule: GrantRule, command: string): boolean {
  switch (rule.type) {
    case "exact":
      return command === rule.command;
    case "program":
      return rule.words.every((word, at) => command.split(/\s+/)[at] === word);
    case "tool":
      return false;
  }
}

/** What a trial of a command comes to. */
export function forecastOf({ action, cwd }: Approval): Forecast {
  if (textOf(action).includes("sudo")) {
    return { type: "unavailable", why: "It runs as root, and that cannot be tried out on a copy." };
  }
  return {
    type: "made",
    files: [
      { path: `${cwd}/old-thumbnails`, change: "deleted", folder: true, inside: 214 },
      { path: `${cwd}/.thumbnail-index`, change: "changed", folder: false, inside: 0 },
      { path: `${cwd}/cleanup.log`, change: "created", folder: false, inside: 0 },
    ],
    more: 0,
    exitStatus: 0,
    milliseconds: 230,
    notes: [],
  };
}

const CLEAN = "rm -r old-thumbnails && ./index.py --rebuild | tee cleanup.log";
const FETCH = "git fetch origin";
const MODEL = "qwen-coder";

function asking(callId: string, approvalId: string, command: string, at: string): ChatEntry {
  return {
    type: "call",
    messageId: "demo-message",
    callId,
    tool: "shell",
    input: JSON.stringify({ command }),
    state: { type: "awaiting-approval", approvalId },
    at,
  };
}

/** A session that is not shown and asks twice: about a deletion that its model warns of, and about a harmless fetch. */
export function waitingSession(now: number): SessionState {
  const at = new Date(now - 0.2 * HOUR).toISOString();
  const common = {
    revision: 0,
    cwd: DEMO_FOLDER,
    user: "ada",
    previousCommand: null,
    askedAt: at,
  };
  return {
    ...begin("demo-waiting", "Clean up the thumbnails", DEMO_FOLDER, at),
    seq: 4,
    approvals: [
      {
        ...common,
        id: "demo-waiting-clean",
        stepId: "demo-call-clean",
        action: { type: "shell", command: CLEAN },
        assessment: assessment("dangerous", {
          reasons: [
            reason("dangerous", "deletes a folder and everything in it", "rm -r old-thumbnails", CLEAN),
            reason("caution", "deletes without asking for each file", "-r", CLEAN),
            reason("caution", "runs a script of this folder", "./index.py", CLEAN),
            {
              ...reason(
                "dangerous",
                "some of these may be the only copies of the pictures",
                "old-thumbnails",
                CLEAN,
              ),
              source: MODEL,
            },
          ],
          effects: {
            deletes: true,
            touches: [`${DEMO_FOLDER}/old-thumbnails`, `${DEMO_FOLDER}/cleanup.log`],
          },
          undo: { type: "cannot", why: "Deleted files are not kept." },
        }),
        warningMessage: "It deletes a folder.",
        proposer: { type: "chat", model: MODEL, reason: "The old thumbnails are no longer referenced." },
        offers: [],
        environment: [
          { name: "PATH", now: { type: "set", value: `${DEMO_FOLDER}/.venv/bin:/usr/bin:/bin` } },
          { name: "VIRTUAL_ENV", now: { type: "set", value: `${DEMO_FOLDER}/.venv` } },
          { name: "PHOTO_TOKEN", now: { type: "hidden" } },
          { name: "PYTHONPATH", now: { type: "unset" } },
        ],
      },
      {
        ...common,
        id: "demo-waiting-fetch",
        stepId: "demo-call-fetch",
        action: { type: "shell", command: FETCH },
        assessment: assessment("caution", {
          reasons: [reason("caution", "fetches from another machine", FETCH, FETCH)],
          effects: { usesNetwork: true },
        }),
        warningMessage: "It uses the network.",
        proposer: { type: "chat", model: MODEL, reason: "To see whether the index changed upstream." },
        offers: [
          { type: "exact", command: FETCH },
          { type: "program", words: ["git", "fetch"] },
        ],
        suggested: { type: "program", words: ["git", "fetch"] },
      },
    ],
    conversation: {
      turn: { messageId: "demo-message", round: 1, phase: "tools", since: at },
      entries: [
        {
          type: "user",
          messageId: "demo-message",
          text: "Clean up the thumbnails, and see whether the index is still right.",
          route: "chat",
          detection: null,
          at,
        },
        asking("demo-call-clean", "demo-waiting-clean", CLEAN, at),
        asking("demo-call-fetch", "demo-waiting-fetch", FETCH, at),
      ],
    },
  };
}
