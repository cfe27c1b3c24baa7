/* Figures as a month of work leaves them. */
import type { GuideRule, Metrics } from "@/ipc/bindings";

export function demoMetrics(): Metrics {
  const day = (name: string, completed: number, failed: number, tokens: number) => ({
    day: name,
    completed,
    failed,
    corrections: failed,
    denials: 0,
    stops: 0,
    workSeconds: completed * 95,
    tokens,
    costMicros: tokens * 4,
  });
  return {
    since: null,
    sessions: 14,
    plans: { completed: 9, failed: 2, cancelled: 1, open: 1 },
    conversations: { completed: 5, failed: 0, cancelled: 0, open: 0 },
    goals: { completed: 1, failed: 1, cancelled: 0, open: 0 },
    corrections: {
      tried: 11,
      helped: 8,
      plans: 6,
      bySource: [
        { source: "guide:python-path", tried: 7, helped: 6 },
        { source: "demo model", tried: 4, helped: 2 },
      ],
    },
    approvals: {
      answered: 23,
      allowedOnce: 15,
      allowedAlways: 3,
      notNow: 2,
      never: 1,
      instead: 2,
      denials: [
        { kind: "rm", count: 3 },
        { kind: "git", count: 2 },
      ],
    },
    cancels: 2,
    interrupts: 1,
    stopsByHour: Array.from({ length: 24 }, (_, hour) => ([9, 17, 23].includes(hour) ? 1 : 0)),
    turns: 21,
    rounds: 84,
    mostRounds: 12,
    workSeconds: 1340,
    usage: {
      inputTokens: 412_000,
      outputTokens: 31_000,
      cachedTokens: 220_000,
      calls: 96,
      costMicros: 1_830_000,
      unpricedCalls: 0,
    },
    days: [
      day("2026-05-27", 3, 1, 96_000),
      day("2026-05-28", 5, 0, 121_000),
      day("2026-05-30", 2, 2, 40_000),
      day("2026-05-31", 5, 0, 186_000),
    ],
  };
}

export function demoRules(): GuideRule[] {
  return [
    { id: "missing-directory", title: "A folder is missing", own: false, helped: 3, failed: 1 },
    { id: "missing-library", title: "A library is missing", own: false, helped: 1, failed: 0 },
    { id: "port-in-use", title: "The port is taken", own: false, helped: 0, failed: 0 },
  ];
}
