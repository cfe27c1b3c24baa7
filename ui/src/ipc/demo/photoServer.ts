/* The demonstration session: a page of seven commands whose fourth fails for want of headers. Data only. */
import { begin } from "@/state/fold";
import type {
  AgentCorrection,
  Approval,
  Assessment,
  Plan,
  Risk,
  RiskReason,
  SessionState,
  SessionSummary,
  Step,
  StepId,
  StepKind,
} from "../bindings";

export const DEMO_FOLDER = "/home/ada/photo-server";

export const DEMO_PAGE = `# Set up the photo server

Look at what is installed:
\`\`\`sh
python3 --version && node --version
\`\`\`
Get the sources:
\`\`\`sh
git clone ~/mirrors/photo-server.git && cd photo-server
\`\`\`
`;

export function assessment(risk: Risk, more: Partial<Assessment> = {}): Assessment {
  return { risk, reasons: [], effects: {}, undo: { type: "not-needed" }, ...more };
}

export function reason(risk: Risk, text: string, fragment: string, command: string): RiskReason {
  const start = command.indexOf(fragment);
  return { risk, text, fragment, start: start === -1 ? null : [...command.slice(0, start)].length };
}

export function demoStep(
  id: StepId,
  title: string,
  command: string,
  kind: StepKind,
  risk: Risk,
  more: Partial<Step> = {},
): Step {
  return {
    id,
    index: 0,
    title,
    kind,
    action: { type: "shell", command },
    changed: null,
    why: null,
    expected: null,
    verify: null,
    okExit: [0],
    dependsOn: [],
    limits: { wallSeconds: null, silenceSeconds: null },
    estimateSeconds: null,
    assessment: assessment(risk),
    origin: { type: "original" },
    state: { type: "pending" },
    ...more,
  };
}

export function indexed(steps: Step[]): Step[] {
  return steps.map((step, index) => ({ ...step, index }));
}

const CLONE = "git clone ~/mirrors/photo-server.git && cd photo-server";
const MIGRATE = "./manage.py migrate";

export function photoServerPlan(id: string): Plan {
  return {
    id,
    revision: 1,
    title: "Set up the photo server",
    intent: "Follow this page and get the photo server running on port 8000.",
    mode: "agentic",
    onFailure: "stop",
    origin: { type: "runbook", name: "INSTALL.md" },
    originalSteps: 7,
    state: { type: "draft" },
    steps: indexed([
      demoStep(
        "look",
        "Look at what is installed",
        "python3 --version && node --version",
        "analyze",
        "safe",
        {
          estimateSeconds: 1,
        },
      ),
      demoStep("clone", "Get the sources", CLONE, "install", "caution", {
        assessment: assessment("caution", {
          reasons: [reason("caution", "makes a folder and fills it", "git clone", CLONE)],
          effects: { touches: [DEMO_FOLDER] },
          undo: { type: "by-hand", how: "move the folder to the trash" },
        }),
      }),
      demoStep(
        "venv",
        "Make a Python environment",
        "python3 -m venv .venv && source .venv/bin/activate",
        "configure",
        "caution",
      ),
      demoStep(
        "pip",
        "Install the Python packages",
        "pip install -r requirements.txt",
        "install",
        "caution",
        {
          assessment: assessment("caution", {
            reasons: [
              reason(
                "caution",
                "downloads and installs packages",
                "pip install",
                "pip install -r requirements.txt",
              ),
            ],
            effects: { usesNetwork: true, installsPackages: true },
            undo: { type: "by-hand", how: "remove the .venv folder" },
          }),
        },
      ),
      demoStep("migrate", "Create the database", MIGRATE, "configure", "caution", { estimateSeconds: 4 }),
      demoStep("serve", "Start the server", "./manage.py runserver 8000 --detach", "execute", "caution"),
      demoStep("check", "Check that it answers", "curl -fsS localhost:8000/health", "validate", "safe", {
        estimateSeconds: 1,
      }),
    ]),
  };
}

export const REPAIR = "sudo apt-get install -y libjpeg-dev zlib1g-dev";
const SOURCE = "guide:pip-missing-header";
const WHY =
  "Pillow is built from source here and its build stopped at “jpeg”. These two packages carry the headers.";

const repairAssessment: Assessment = {
  risk: "dangerous",
  reasons: [
    reason("dangerous", "runs as root", "sudo", REPAIR),
    reason("caution", "installs system packages without asking again", "install -y", REPAIR),
  ],
  effects: { raisesPrivilege: true, usesNetwork: true, installsPackages: true },
  undo: {
    type: "partly",
    how: "The packages can be removed again; changes made by their install scripts can't.",
  },
};

/** The plan with the repair step before the one that failed. */
export function repairedPlan(plan: Plan): Plan {
  const repair = demoStep("headers", "Install the headers that Pillow needs", REPAIR, "repair", "dangerous", {
    assessment: repairAssessment,
    why: WHY,
    origin: {
      type: "repair",
      forStep: "pip",
      source: SOURCE,
      reason: "“RequiredDependencyException: jpeg”",
      revision: 2,
    },
  });
  const at = plan.steps.findIndex((step) => step.id === "pip");
  const steps = [...plan.steps.slice(0, at), repair, ...plan.steps.slice(at)];
  return { ...plan, revision: 2, steps: indexed(steps) };
}

export const REVISION_REASON =
  "Step 4 failed: the JPEG headers are missing. The field guide added “Install the headers that Pillow needs”.";

export const correction: AgentCorrection = {
  action: "insert_steps",
  reasoning: WHY,
  source: SOURCE,
  confidence: 0.9,
};

export function repairApproval(id: string, at: string, revision: number): Approval {
  return {
    id,
    stepId: "headers",
    revision,
    action: { type: "shell", command: REPAIR },
    cwd: DEMO_FOLDER,
    user: "ada",
    assessment: repairAssessment,
    warningMessage: "This repair runs as root and was not in the plan that you confirmed.",
    proposer: {
      type: "agent",
      source: SOURCE,
      reason: WHY,
      forStep: "pip",
      forTitle: "Install the Python packages",
    },
    previousCommand: null,
    offers: [],
    askedAt: at,
  };
}

/** What a command prints, how long it takes and which files it makes in the folder; `failsFirst` is printed, and fails, only the first time. */
export type Transcript = { lines: string[]; millis: number; failsFirst?: string[]; files?: string[] };

export const transcript: Record<string, Transcript> = {
  look: { lines: ["Python 3.11.2", "v20.20.2"], millis: 120 },
  clone: {
    lines: ["Cloning into 'photo-server'...", "done."],
    millis: 1800,
    files: ["manage.py", "requirements.txt", "photos/models.py"],
  },
  venv: { lines: [], millis: 2400, files: [".venv/pyvenv.cfg"] },
  pip: {
    lines: [
      "Building wheel for Pillow (pyproject.toml): finished",
      "Successfully installed Django-5.2 Pillow-11.3",
    ],
    millis: 2600,
    failsFirst: [
      "Building wheel for Pillow (pyproject.toml): started",
      "error: subprocess-exited-with-error",
      "\u001b[31mRequiredDependencyException: jpeg\u001b[0m",
    ],
  },
  headers: {
    lines: [
      "Unpacking libjpeg62-turbo-dev:amd64 (1:2.1.5-2) ...",
      "Setting up zlib1g-dev:amd64 (1:1.2.13) ...",
    ],
    millis: 4200,
  },
  migrate: {
    lines: ["Applying photos.0001_initial... OK", "Applying photos.0002_albums... OK"],
    millis: 1400,
    files: ["db.sqlite3"],
  },
  serve: { lines: ["Listening on 127.0.0.1:8000"], millis: 600 },
  check: { lines: ["ok"], millis: 180 },
};

/** An earlier session as it would be opened from the list. */
export function olderState({
  id,
  title,
  cwd,
  createdAt,
  status,
  steps,
  stepsDone,
}: SessionSummary): SessionState {
  const state = (at: number): Step["state"] => {
    if (at < stepsDone) return { type: "completed", attempt: 0 };
    if (at === stepsDone) return { type: "failed", attempt: 0, reason: "it ended with exit status 1" };
    return { type: "pending" };
  };
  const plan: Plan = {
    id: `${id}-plan`,
    revision: 1,
    title,
    intent: title,
    mode: "planner",
    onFailure: "stop",
    origin: { type: "runbook", name: "page.md" },
    originalSteps: steps,
    state:
      status === "failed"
        ? { type: "failed", code: "step-failed", reason: `Step ${stepsDone + 1} failed` }
        : { type: "completed" },
    steps: indexed(
      Array.from({ length: steps }, (_, at) =>
        demoStep(`step-${at}`, `Part ${at + 1} of the page`, `./part-${at + 1}.sh`, "execute", "caution", {
          state: state(at),
        }),
      ),
    ),
  };
  const author = { type: "runbook" } as const;
  return {
    ...begin(id, title, cwd, createdAt),
    seq: 20,
    plan,
    revisions: [
      { revision: 1, author, reason: "Imported from page.md", stepId: null, at: createdAt, changes: [] },
    ],
  };
}

/** Earlier sessions for the list, newest first; `now` in milliseconds. */
export function olderSessions(now: number): SessionSummary[] {
  const hour = 3_600_000;
  const row = (
    id: string,
    title: string,
    hoursAgo: number,
    status: SessionSummary["status"],
    steps: number,
    stepsDone: number,
    repairs: number,
  ): SessionSummary => {
    const at = new Date(now - hoursAgo * hour).toISOString();
    return {
      id,
      title,
      cwd: "/home/ada",
      createdAt: at,
      updatedAt: at,
      status,
      steps,
      stepsDone,
      repairs,
      damage: null,
    };
  };
  return [
    row("demo-disk", "Free disk space", 0.4, "completed", 12, 12, 0),
    row("demo-packages", "Fix broken packages", 0.6, "completed", 6, 6, 2),
    row("demo-rename", "Rename holiday photos", 26, "completed", 4, 4, 0),
    row("demo-upgrade", "Upgrade to PostgreSQL 17", 28, "failed", 11, 5, 1),
  ];
}
