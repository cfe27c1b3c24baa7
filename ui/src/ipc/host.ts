/* What the window needs from whatever it runs in: the desktop program (tauriHost) or memory (fakeHost). Every method may
   reject with an EngineError. Nothing here decides anything. */
import { createContext, useContext } from "react";
import type {
  AppInfo,
  ApprovalId,
  Command,
  ConnectionReport,
  EngineError,
  Explanation,
  Forecast,
  FoundServer,
  Grant,
  GrantId,
  GrantLifetime,
  GrantPreview,
  GrantRule,
  GuideRule,
  KeyStatus,
  Metrics,
  Mode,
  ModelChoice,
  ModelStatus,
  OutputMatches,
  OutputQuery,
  OutputRows,
  PagePatch,
  PageView,
  PlanId,
  ProviderKind,
  QuestionEstimate,
  SecretRequestId,
  SessionId,
  SessionState,
  SessionSummary,
  Settings,
  StepId,
  StorageUse,
  TerminalInput,
  TerminalScreen,
  Time,
  UndoPreview,
  UndoTarget,
  Update,
} from "./bindings";

export type Example = { id: string; title: string; summary: string; steps: number };

export type ExportFormat = "sh" | "md" | "json";

export type ImportText = { name: string; text: string; cwd?: string; sessionId?: SessionId };
export type ImportFile = { path: string; cwd?: string; sessionId?: SessionId };
export type ImportAddress = { address: string; cwd?: string; sessionId?: SessionId };

export interface Host {
  listSessions(query?: string): Promise<SessionSummary[]>;
  createSession(options: { title?: string; cwd?: string }): Promise<SessionState>;
  openSession(id: SessionId): Promise<SessionState>;
  deleteSession(id: SessionId): Promise<void>;
  exportSession(id: SessionId): Promise<string>;

  importText(options: ImportText): Promise<SessionState>;
  importFile(options: ImportFile): Promise<SessionState>;
  /** Fetches the page behind an http(s) address. */
  importAddress(options: ImportAddress): Promise<SessionState>;
  /** Opens the system's file dialog; null when the user closed it. */
  chooseRunbook(): Promise<string | null>;
  chooseFolder(): Promise<string | null>;
  examples(): Promise<Example[]>;
  tryExample(id: string): Promise<SessionState>;

  submit(sessionId: SessionId, command: Command): Promise<void>;
  /** Starts the plan that is shown, and no other that took its place meanwhile. */
  planExecute(planId: PlanId, mode: Mode | null): Promise<void>;
  /** Hands an answer straight to the program that asks; null declines. Nothing keeps it. */
  answerSecret(sessionId: SessionId, requestId: SecretRequestId, answer: string | null): Promise<void>;
  /** Does at a running program's terminal what the user does there. Nothing keeps what is typed. */
  terminalInput(sessionId: SessionId, stepId: StepId, input: TerminalInput): Promise<void>;
  /** What a terminal shows now, or showed last; null when that is kept no longer. */
  terminalScreen(sessionId: SessionId, stepId: StepId, attempt: number): Promise<TerminalScreen | null>;
  explain(sessionId: SessionId, command: string): Promise<Explanation>;
  /** What an undo would do now; the command "undo" with its token does it. */
  /** The page that the session's plan is from, part by part. */
  pageView(sessionId: SessionId): Promise<PageView>;
  /** What the run mended, as a change of the page; the command "mend-page" writes it. */
  pagePatch(sessionId: SessionId): Promise<PagePatch>;
  undoPreview(sessionId: SessionId, target: UndoTarget): Promise<UndoPreview>;
  /** Markdown. */
  report(sessionId: SessionId): Promise<string>;
  /** The same as an HTML page that stands alone. */
  reportPage(sessionId: SessionId): Promise<string>;
  exportPlan(sessionId: SessionId, format: ExportFormat): Promise<string>;
  /** Asks where to save; null when the user closed the dialog. */
  saveText(options: { title: string; ending: string; text: string }): Promise<string | null>;
  /** The whole output of one attempt. */
  readOutput(sessionId: SessionId, stepId: StepId, attempt: number): Promise<string>;
  /** Rows of it from number `from`, also while it runs; at most 1000 at once. */
  outputRows(
    sessionId: SessionId,
    stepId: StepId,
    attempt: number,
    from: number,
    count: number,
  ): Promise<OutputRows>;
  /** Where a text stands in all of it. */
  searchOutput(
    sessionId: SessionId,
    stepId: StepId,
    attempt: number,
    query: OutputQuery,
  ): Promise<OutputMatches>;

  getSettings(): Promise<Settings>;
  setSettings(settings: Settings): Promise<void>;
  grants(): Promise<Grant[]>;
  revokeGrant(id: GrantId): Promise<void>;
  /** Which past commands a rule would have covered. `sessionId`: where a lifetime bound to a place would bind it. */
  previewGrant(rule: GrantRule, sessionId: SessionId | null, lifetime: GrantLifetime): Promise<GrantPreview>;
  /** Makes a rule that refuses everywhere, until it is taken back. */
  addNever(rule: GrantRule): Promise<void>;
  /** What is foretold of an open question; null: nothing is tried out for it. News arrives as updates. */
  forecast(approvalId: ApprovalId): Promise<Forecast | null>;
  appInfo(): Promise<AppInfo>;
  /** Says which session the user sees now; null: none. What it tells of its end is no news then. */
  lookingAt(sessionId: SessionId | null): Promise<void>;

  /** What the data folder holds, and what of it the settings keep no longer. */
  storage(): Promise<StorageUse>;
  /** Figures of what was done, from this moment on; null: of all. */
  metrics(since: Time | null): Promise<Metrics>;
  /** Every rule of the field guide, with what came of it here. */
  guideRules(): Promise<GuideRule[]>;
  /** Forgets what came of a rule; null: of all of them. */
  forgetExperience(rule: string | null): Promise<void>;
  /** Removes for good those of the sessions that are due by the settings. */
  clearDue(sessions: SessionId[]): Promise<StorageUse>;
  /** Removes deleted sessions for good. */
  emptyTrash(): Promise<StorageUse>;
  /** Shows the data folder in the system's file manager. */
  openDataFolder(): Promise<void>;

  /** Which models answer now. Changes arrive as updates. */
  modelStatus(): Promise<ModelStatus>;
  /** Asks the model a small question. `key` is tried instead of the kept one and is not kept. */
  testConnection(choice: ModelChoice, key?: string): Promise<ConnectionReport>;
  /** Hands a key over to be kept. It never comes back. */
  setKey(provider: ProviderKind, key: string): Promise<void>;
  forgetKey(provider: ProviderKind): Promise<void>;
  keyStatuses(): Promise<KeyStatus[]>;
  /** Model servers on the usual ports of this machine. */
  discoverServers(): Promise<FoundServer[]>;
  /** Null: nothing to escalate, or nobody to escalate to. */
  escalationEstimate(sessionId: SessionId): Promise<QuestionEstimate | null>;
  /** What having the page of a draft sorted by the model may cost. Null: there is no model, or nothing is open. */
  sortingEstimate(sessionId: SessionId): Promise<QuestionEstimate | null>;

  /** Updates arrive in batches, in order. Returns the way to stop them. */
  subscribe(onUpdates: (updates: Update[]) => void): () => void;
  /** A session that the user chose outside the page: in a notification, or in the tray. Returns the way to stop. */
  onShowSession(show: (id: SessionId) => void): () => void;
  /** Files dropped on the window; `over` while they hover. */
  onDrop(on: { over(hovering: boolean): void; drop(paths: string[]): void }): () => void;
}

export const HostContext = createContext<Host | null>(null);

export function useHost(): Host {
  const host = useContext(HostContext);
  if (!host) throw new Error("useHost needs a HostContext above it.");
  return host;
}

/** Whatever was thrown, as an error for people. */
export function toEngineError(thrown: unknown): EngineError {
  if (typeof thrown === "object" && thrown !== null && "code" in thrown && "message" in thrown) {
    return thrown as EngineError;
  }
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return { code: "internal", message };
}
