/* What happens on the way to the demonstration's goal: a disk that is full, looked through and cleared with care. Data. */
import type { ActionType, Assessment, SignalStatus, Todo, TodoStatus } from "../bindings";
import { assessment } from "./photoServer";

export type DemoAction = {
  type: ActionType;
  content: string;
  rationale: string;
  /** What it prints, or gives. */
  output: string[];
  millis: number;
  exit?: number;
  /** It waits for the user's answer first. */
  asks?: Assessment;
};

export type DemoSignal = {
  status: SignalStatus;
  assessment: string;
  estimate: number;
  add?: Todo[];
  /** To-dos that stand otherwise from here on. */
  moves?: Record<string, TodoStatus>;
  action?: DemoAction;
};

export const DEMO_GOAL = "Find out why the disk is full and free 5 GB, without touching anything of mine.";

const todo = (id: string, title: string, priority: Todo["priority"] = "medium"): Todo => ({
  id,
  title,
  status: "pending",
  priority,
});

export const GOAL_SCRIPT: DemoSignal[] = [
  {
    status: "planning",
    assessment: "First I look at what takes the room; then I ask before anything goes.",
    estimate: 5,
    add: [
      todo("measure", "Find out what takes the room", "high"),
      todo("caches", "Clear caches that come back by themselves"),
      todo("logs", "Ask about the old logs", "high"),
      todo("check", "Check that 5 GB are free"),
    ],
    moves: { measure: "in-progress" },
    action: {
      type: "shell",
      content: "df -h / && du -xh --max-depth=1 /var | sort -rh | head -5",
      rationale: "Without knowing what is large nothing should be cleared.",
      output: [
        "Filesystem      Size  Used Avail Use% Mounted on",
        "/dev/nvme0n1p2   98G   96G  1.1G  99% /",
        "21G\t/var",
        "12G\t/var/log",
        "6.4G\t/var/cache",
        "1.9G\t/var/lib",
        "88M\t/var/backups",
      ],
      millis: 2600,
    },
  },
  {
    status: "executing",
    assessment: "Logs take 12 GB and caches 6.4 GB. The caches alone may be enough.",
    estimate: 30,
    moves: { measure: "completed", caches: "in-progress" },
    action: {
      type: "eval",
      content: "let free = 1.1;\nlet caches = 6.4;\nfree + caches",
      rationale: "Whether clearing the caches alone reaches 5 GB.",
      output: ["7.5"],
      millis: 120,
    },
  },
  {
    status: "executing",
    assessment:
      "7.5 GB would be free afterwards. Packages that were downloaded can be fetched again at any time.",
    estimate: 40,
    action: {
      type: "shell",
      content: "sudo apt-get clean",
      rationale: "The package cache is the largest one and comes back by itself.",
      output: [],
      millis: 1800,
      asks: assessment("dangerous", {
        reasons: [
          { risk: "dangerous", text: "runs as root", fragment: "sudo", start: 0 },
          { risk: "caution", text: "deletes downloaded packages", fragment: "apt-get clean", start: 5 },
        ],
        effects: { deletes: true, raisesPrivilege: true, touches: ["/var/cache/apt/archives"] },
        undo: { type: "cannot", why: "the packages would have to be downloaded again" },
      }),
    },
  },
  {
    status: "reflecting",
    assessment: "The cache is gone. The logs are yours to decide about.",
    estimate: 60,
    moves: { caches: "completed", logs: "in-progress" },
    action: {
      type: "user_input",
      content: "Logs older than 30 days take 9 GB. May I compress them, or shall they stay as they are?",
      rationale: "They may be needed, and only you know.",
      output: [],
      millis: 0,
    },
  },
  {
    status: "executing",
    assessment: "Understood. Now I look at what is free.",
    estimate: 85,
    moves: { logs: "completed", check: "in-progress" },
    action: {
      type: "file_read",
      content: "/var/log/apt/history.log",
      rationale: "To see that nothing but the cache went.",
      output: [
        "Start-Date: 2026-03-02  14:02:11",
        "Commandline: apt-get clean",
        "End-Date: 2026-03-02  14:02:12",
      ],
      millis: 90,
    },
  },
  {
    status: "complete",
    assessment: "7.2 GB are free, and nothing of yours was touched.",
    estimate: 100,
    moves: { check: "completed" },
  },
];
