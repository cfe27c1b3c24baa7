/** What a session has used of its models, against what it may use. Pure. */
import type { Settings, Usage } from "@/ipc/bindings";

/** From this share of a limit on it is said to be near; the engine warns at the same point. */
const NEAR = 0.8;

const MICROS_PER_CENT = 10_000;

export type CapUse = { kind: "tokens" | "cost"; used: number; allowed: number };

/** How far a limit is used: the strictest of several counts. */
export type Nearness = "free" | "near" | "reached";

/** The limits that are set, with what is used of each; money in millionths of a dollar. */
export function capsOf(usage: Usage, settings: Settings | null): CapUse[] {
  const { tokenCap, costCapCents } = settings ?? {};
  const caps: CapUse[] = [];
  if (tokenCap != null) caps.push({ kind: "tokens", used: tokensOf(usage), allowed: tokenCap });
  if (costCapCents != null)
    caps.push({ kind: "cost", used: usage.costMicros ?? 0, allowed: costCapCents * MICROS_PER_CENT });
  return caps;
}

export function tokensOf(usage: Usage): number {
  return (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0);
}

export function nearnessOf({ used, allowed }: CapUse): Nearness {
  if (used >= allowed) return "reached";
  return used >= allowed * NEAR ? "near" : "free";
}

export function nearest(caps: CapUse[]): Nearness {
  const all = caps.map(nearnessOf);
  if (all.includes("reached")) return "reached";
  return all.includes("near") ? "near" : "free";
}
