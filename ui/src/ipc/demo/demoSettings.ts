import type { Settings } from "../bindings";

/** As a new installation has them. */
export const DEFAULTS: Settings = {
  defaultMode: "planner",
  onFailure: "stop",
  askFrom: "dangerous",
  wallSeconds: 3600,
  outputMib: 64,
  silenceSeconds: 900,
  theme: "system",
  mainModel: null,
  strongerModel: null,
  tokenCap: null,
  costCapCents: null,
  autonomousLoop: true,
  maxRounds: 100,
  parallelTools: true,
  askEdits: true,
  instructions: "ask",
  synthesis: "words",
  forecast: true,
  keepAwake: true,
  trayIcon: true,
  grantDays: 90,
  keepDays: null,
  keepMib: null,
};
