/* What is said in the demonstration conversation: a health check that asks at the wrong port, found and mended. Data, and
   a detection that is only good enough for a demonstration. */
import type { Assessment, Detection, FileDiff } from "../bindings";
import { DEMO_FOLDER } from "./photoServer";

export type DemoCall = {
  tool: string;
  input: Record<string, unknown>;
  /** What the model is told. */
  content?: string;
  /** What a command prints. */
  output?: string[];
  exit?: number;
  millis: number;
  diffs?: FileDiff[];
  /** It waits for the user's answer. */
  asks?: boolean;
};

export type DemoRound = { reasoning?: string; text: string; calls: DemoCall[] };

export const EDIT_ASSESSMENT: Assessment = {
  risk: "caution",
  reasons: [{ risk: "caution", text: "changes a file", fragment: "", start: null }],
  effects: { touches: [`${DEMO_FOLDER}/config/health.toml`] },
  undo: { type: "by-hand", how: "put the line back" },
};

export const PORT_DIFF: FileDiff = {
  path: `${DEMO_FOLDER}/config/health.toml`,
  created: false,
  unified:
    '@@ -1,4 +1,5 @@\n [check]\n-url = "http://localhost:80/health"\n+# The server listens where settings.py says.\n+url = "http://localhost:8000/health"\n every = "30s"\n timeout = "2s"\n',
  added: 2,
  removed: 1,
};

const SETTINGS = 'HOST = "127.0.0.1"\nPORT = 8000\nWORKERS = 4\n';
const HEALTH = '[check]\nurl = "http://localhost:80/health"\nevery = "30s"\ntimeout = "2s"\n';

const FIRST: DemoRound = {
  reasoning:
    "The health check fails although the server runs. Either the server listens elsewhere, or the check asks at the wrong place. Both are written down, so I should read them first.",
  text: "I'll look at where the server listens and where the check asks.",
  calls: [
    {
      tool: "list_dir",
      input: { path: DEMO_FOLDER },
      content: "config/\nphotos/\nmanage.py\nsettings.py\n",
      millis: 40,
    },
    { tool: "read_file", input: { path: `${DEMO_FOLDER}/settings.py` }, content: SETTINGS, millis: 60 },
    { tool: "read_file", input: { path: `${DEMO_FOLDER}/config/health.toml` }, content: HEALTH, millis: 60 },
  ],
};

const SECOND: DemoRound = {
  text: "The server listens on port **8000**, the check asks at port **80**. First a look at whether it really answers:",
  calls: [
    {
      tool: "shell",
      input: { command: "curl -fsS localhost:8000/health" },
      output: ["{", '  "status": "ok",', '  "photos": 1204', "}"],
      millis: 1400,
    },
  ],
};

const THIRD: DemoRound = {
  text: "It does. So only the address of the check has to change.",
  calls: [
    {
      tool: "edit_file",
      input: { path: PORT_DIFF.path, old_text: ":80/", new_text: ":8000/" },
      content: "Edited 1 file.",
      millis: 80,
      diffs: [PORT_DIFF],
      asks: true,
    },
  ],
};

const LAST: DemoRound = {
  text: `## The check asks at the right port now

| file | before | now |
| --- | --- | --- |
| \`config/health.toml\` | port 80 | port **8000** |

The server itself was never down; nothing else had to change.

1. The check runs again within 30 seconds.
2. To see it at once:

\`\`\`sh
./manage.py check --health
\`\`\`

> The port stands in two files. If it moves again, both have to follow.`,
  calls: [],
};

export function answersFor(_text: string): DemoRound[] {
  return [FIRST, SECOND, THIRD, LAST];
}

const WORDS = ["install", "set up", "upgrade", "migrate", "refactor", "move", "fix"];

export function detected(text: string): Detection {
  const lower = text.toLowerCase();
  const reasons = WORDS.filter((word) => lower.includes(word)).map((word) => ({
    text: `it says “${word}”`,
    points: 2,
  }));
  const files = new Set(text.match(/\b[\w/-]+\.(?:py|toml|md|ts|json|sh)\b/g) ?? []).size;
  if (files > 1) reasons.push({ text: `names ${files} files`, points: 1 });
  const score = reasons.reduce((sum, reason) => sum + reason.points, 0);
  return { score, threshold: 3, shouldPlan: score >= 3, reasons };
}
