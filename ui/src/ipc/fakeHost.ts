/* A host in memory, for tests and for the window in a browser. It plays the demonstration session as the engine would:
   every change is an event, folded by the window's own fold. It runs nothing on the machine. */
import { textSource } from "@/shared/outputSource";
import { commandOf } from "@/shared/steps";
import { applyRecord, begin } from "@/state/fold";
import { summarise } from "@/state/summary";
import type {
  ApprovalId,
  Command,
  Event,
  Grant,
  GrantLifetime,
  GrantRule,
  GuideRule,
  Mode,
  ModelChoice,
  OutputQuery,
  PagePatch,
  PageView,
  PastCommand,
  Plan,
  PlanId,
  ProviderKind,
  QuestionEstimate,
  SecretRequestId,
  SessionId,
  SessionState,
  SessionSummary,
  Settings,
  TerminalInput,
  TerminalScreen,
  UndoTarget,
  Update,
} from "./bindings";
import { explanationOf } from "./demo/demoExplanation";
import { DemoGoal } from "./demo/demoGoal";
import { reportOf } from "./demo/demoReport";
import { DemoRun } from "./demo/demoRun";
import { planOf } from "./demo/demoRunbook";
import { DEFAULTS } from "./demo/demoSettings";
import { DemoTalk } from "./demo/demoTalk";
import { FakeSafety } from "./demo/fakeSafety";
import { FakeStorage } from "./demo/fakeStorage";
import { FakeUndo } from "./demo/fakeUndo";
import { demoMetrics, demoRules } from "./demo/metrics";
import { FakeModels, type FakeModelsOptions } from "./demo/models";
import { DEMO_FOLDER, olderSessions, olderState, photoServerPlan } from "./demo/photoServer";
import { engineError } from "./engineError";
import type { Host } from "./host";

export type FakeOptions = {
  /** How much faster than life the demonstration runs; `Infinity` runs without a pause. */
  speed?: number;
  /** Sessions in the list besides those made here. */
  older?: SessionSummary[];
  grants?: Grant[];
  /** Sessions as they are, besides the older ones. */
  sessions?: SessionState[];
  /** What rules are compared with before they are made. */
  past?: PastCommand[];
  settings?: Partial<Settings>;
  models?: FakeModelsOptions;
  now?: () => number;
};

export class FakeHost implements Host {
  readonly #sessions = new Map<SessionId, SessionState>();
  readonly #updated = new Map<SessionId, string>();
  readonly #runs = new Map<SessionId, DemoRun>();
  readonly #talks = new Map<SessionId, DemoTalk>();
  readonly #goals = new Map<SessionId, DemoGoal>();
  readonly #listeners = new Set<(updates: Update[]) => void>();
  readonly #drops = new Set<{ over(hovering: boolean): void; drop(paths: string[]): void }>();
  readonly #shows = new Set<(id: SessionId) => void>();
  /** What the user was said to look at, oldest first. */
  readonly lookedAt: (SessionId | null)[] = [];
  /** The models, keys and servers that this host pretends to know. */
  readonly models: FakeModels;
  /** The rules and forecasts that it pretends to keep and make. */
  readonly safety: FakeSafety;
  /** The field guide's rules. */
  rules: GuideRule[] = demoRules();
  /** What it pretends to keep beside the sessions. */
  readonly kept = new FakeStorage();
  /** What it pretends to keep and to put back. */
  readonly undo = new FakeUndo();
  readonly #speed: number;
  readonly #now: () => number;
  #older: SessionSummary[];
  #settings: Settings;
  #count = 0;

  /** What was asked of the host, for tests to read. */
  readonly submitted: { sessionId: SessionId; command: Command }[] = [];
  readonly secretsGiven: { requestId: SecretRequestId; answer: string | null }[] = [];
  readonly typed: TerminalInput[] = [];
  nextScreen: TerminalScreen | null = null;
  readonly saved: { title: string; ending: string; text: string }[] = [];
  /** What the file dialogs answer next. */
  nextRunbook: string | null = `${DEMO_FOLDER}/INSTALL.md`;
  nextFolder: string | null = "/home/ada/projects";

  constructor(options: FakeOptions = {}) {
    this.#speed = options.speed ?? 1;
    this.#now = options.now ?? Date.now;
    this.#older = options.older ?? olderSessions(this.#now());
    this.safety = new FakeSafety(this, options);
    this.#settings = { ...DEFAULTS, ...options.settings };
    this.models = new FakeModels(this.#speed, options.models);
    for (const session of options.sessions ?? []) this.put(session);
  }

  // ---- for the demonstration and for tests ----

  get settings(): Settings {
    return this.#settings;
  }

  get speed(): number {
    return this.#speed;
  }

  time(): string {
    return new Date(this.#now()).toISOString();
  }

  session(id: SessionId): SessionState {
    const state = this.#sessions.get(id);
    if (!state)
      throw engineError("no-such-session", "This session is no longer there. Choose another in the list.");
    return state;
  }

  /** Puts a session as it is, for a test that needs a particular moment. */
  put(state: SessionState): void {
    this.#sessions.set(state.id, state);
    this.#updated.set(state.id, this.time());
  }

  newId(what: string): string {
    this.#count += 1;
    return `${what}-${this.#count}`;
  }

  /** Journals and publishes events of a session. */
  record(sessionId: SessionId, ...events: Event[]): void {
    const updates: Update[] = [];
    for (const event of events) {
      const state = this.session(sessionId);
      const record = { sessionId, seq: state.seq + 1, at: this.time(), event };
      const folded = applyRecord(state, record);
      if (folded.type !== "applied") throw engineError("internal", `The event ${event.type} does not fit.`);
      this.#sessions.set(sessionId, folded.state);
      this.#updated.set(sessionId, record.at);
      updates.push({ type: "event", record });
    }
    updates.push({ type: "sessions", sessions: this.#list() });
    this.publish(updates);
    for (const event of events) {
      if (event.type === "approval-needed") this.safety.foretell(sessionId, event.approval);
    }
  }

  publish(updates: Update[]): void {
    for (const listener of this.#listeners) listener(updates);
  }

  dropFiles(paths: string[]): void {
    for (const on of this.#drops) on.drop(paths);
  }

  hoverFiles(hovering: boolean): void {
    for (const on of this.#drops) on.over(hovering);
  }

  #list(query = ""): SessionSummary[] {
    const own = [...this.#sessions.values()].map((state) =>
      summarise(state, this.#updated.get(state.id) ?? state.createdAt),
    );
    const wanted = query.trim().toLowerCase();
    return [...own, ...this.#older]
      .filter((session) => session.title.toLowerCase().includes(wanted))
      .sort((a, b) => b.updatedAt.localeCompare(a.updatedAt));
  }

  #begin(title: string, cwd: string): SessionState {
    const at = this.time();
    const state: SessionState = begin(this.newId("session"), title, cwd, at);
    this.put(state);
    this.record(state.id, { type: "session-created", title, cwd });
    return this.session(state.id);
  }

  #planned(plan: Plan, cwd: string, sessionId?: SessionId): SessionState {
    const id = sessionId ?? this.#begin(plan.title, cwd).id;
    this.record(id, {
      type: "plan-generated",
      plan: { ...plan, mode: this.#settings.defaultMode ?? "planner" },
    });
    return this.session(id);
  }

  // ---- the Host ----

  async listSessions(query?: string) {
    return this.#list(query);
  }

  async createSession({ title, cwd }: { title?: string; cwd?: string }) {
    return this.#begin(title ?? "New session", cwd ?? "/home/ada");
  }

  async openSession(id: SessionId) {
    const older = this.#older.find((session) => session.id === id);
    if (older) {
      this.#older = this.#older.filter((session) => session.id !== id);
      this.#sessions.set(id, olderState(older));
      this.#updated.set(id, older.updatedAt);
    }
    return this.session(id);
  }

  async deleteSession(id: SessionId) {
    for (const session of this.#list().filter((one) => one.id === id)) this.kept.throwAway(session);
    this.#runs.get(id)?.stop();
    this.#runs.delete(id);
    this.#talks.get(id)?.interrupt();
    this.#talks.delete(id);
    this.#goals.get(id)?.stop();
    this.#goals.delete(id);
    this.#sessions.delete(id);
    this.#older = this.#older.filter((session) => session.id !== id);
    this.publish([{ type: "sessions", sessions: this.#list() }]);
  }

  async exportSession(id: SessionId) {
    return JSON.stringify(this.session(id), null, 2);
  }

  async importText({
    name,
    text,
    cwd,
    sessionId,
  }: {
    name: string;
    text: string;
    cwd?: string;
    sessionId?: string;
  }) {
    const plan = planOf(name, text, this.newId("plan"));
    return this.#planned(plan, cwd ?? "/home/ada", sessionId);
  }

  async importFile({ path, cwd, sessionId }: { path: string; cwd?: string; sessionId?: string }) {
    if (!/\.(md|markdown|sh|txt|json)$/i.test(path)) {
      throw engineError(
        "not-text",
        "This file is not text. Choose a Markdown page, a shell script or a plan as JSON.",
      );
    }
    return this.#planned(photoServerPlan(this.newId("plan")), cwd ?? "/home/ada", sessionId);
  }

  async importAddress({ address, cwd, sessionId }: { address: string; cwd?: string; sessionId?: string }) {
    if (!/\/photo/.test(address)) {
      throw engineError(
        "page-refused",
        "There is no page at this address (status 404). Check it, letter by letter.",
      );
    }
    return this.#planned(photoServerPlan(this.newId("plan")), cwd ?? "/home/ada", sessionId);
  }

  async chooseRunbook() {
    return this.nextRunbook;
  }

  async chooseFolder() {
    return this.nextFolder;
  }

  async examples() {
    return [
      {
        id: "photo-server",
        title: "Photo server",
        summary: "A missing library, found and installed.",
        steps: 7,
      },
      { id: "venv", title: "Python environment", summary: "A folder that is not there yet.", steps: 5 },
      { id: "release", title: "Make a release", summary: "A wrong file mode and a taken port.", steps: 6 },
    ];
  }

  async tryExample(_id: string) {
    return this.#planned(photoServerPlan(this.newId("plan")), "/tmp/planwright-example");
  }

  async submit(sessionId: SessionId, command: Command) {
    this.submitted.push({ sessionId, command });
    this.session(sessionId);
    if (command.type === "answer") this.safety.remember(this.session(sessionId), command);
    if (command.type === "answer-instructions") {
      const { folder, digest, read } = command;
      this.record(sessionId, { type: "instructions-answered", folder, digest, read });
      return;
    }
    if (command.type === "undo") {
      const undo = await this.undo.apply(this.session(sessionId), command, this.newId("undo"), this.time());
      this.record(sessionId, { type: "undone", undo });
      return;
    }
    if (this.#talked(sessionId, command)) return;
    const run = this.#runs.get(sessionId) ?? new DemoRun(this, sessionId);
    this.#runs.set(sessionId, run);
    run.handle(command);
  }

  async planExecute(planId: PlanId, mode: Mode | null) {
    const session = [...this.#sessions.values()].find((one) => one.plan?.id === planId);
    if (!session) throw engineError("stale", "That plan is not open, or another has taken its place.");
    await this.submit(session.id, { type: "start", mode });
  }

  /** Who answers; null: rules only. */
  #model(): string | null {
    return this.#settings.mainModel?.model ?? null;
  }

  /** Whether the command was for the conversation. */
  #talked(sessionId: SessionId, command: Command): boolean {
    const model = this.#model();
    if (!model) {
      if (command.type === "say" || command.type === "pursue") {
        throw engineError("no-model", "No model is set. Choose one in Settings.");
      }
      return false;
    }
    const goal = this.#goals.get(sessionId) ?? new DemoGoal(this, sessionId, model);
    this.#goals.set(sessionId, goal);
    if (goal.handle(command)) return true;
    const talk = this.#talks.get(sessionId) ?? new DemoTalk(this, sessionId, model);
    this.#talks.set(sessionId, talk);
    switch (command.type) {
      case "say":
        talk.say(command, (messageId) => {
          const planId = this.newId("plan");
          const origin = { type: "model", name: model, messageId } as const;
          const plan: Plan = { ...photoServerPlan(planId), origin };
          this.#planned(plan, this.session(sessionId).cwd, sessionId);
          talk.proposed(messageId, planId);
        });
        return true;
      case "interrupt":
        talk.interrupt();
        return true;
      case "answer":
        return talk.answer(command.approvalId, command.answer);
      default:
        return false;
    }
  }

  async terminalInput(_sessionId: SessionId, _stepId: string, input: TerminalInput): Promise<void> {
    this.typed.push(input);
  }

  /** Nothing runs here, so there is no screen but the one that a test gives. */
  async terminalScreen(): Promise<TerminalScreen | null> {
    return this.nextScreen;
  }

  async answerSecret(sessionId: SessionId, requestId: SecretRequestId, answer: string | null) {
    this.secretsGiven.push({ requestId, answer });
    const request = this.session(sessionId).secrets?.find(({ id }) => id === requestId);
    if (!request) throw engineError("not-now", "The program does not wait for this any more.");
    const outcome = answer === null ? "declined" : "answered";
    this.record(sessionId, { type: "secret-resolved", requestId, stepId: request.stepId, outcome });
  }

  async explain(_sessionId: SessionId, command: string) {
    return explanationOf(command);
  }

  /** Pages as they are shown beside their plans; a session without one has none. */
  readonly pages = new Map<SessionId, { view: PageView; patch: PagePatch }>();

  async pageView(sessionId: SessionId) {
    return this.#page(sessionId).view;
  }

  async pagePatch(sessionId: SessionId) {
    return this.#page(sessionId).patch;
  }

  #page(sessionId: SessionId) {
    const page = this.pages.get(sessionId);
    if (!page) throw engineError("not-now", "This plan is from no page.");
    return page;
  }

  async undoPreview(sessionId: SessionId, target: UndoTarget) {
    return this.undo.look(this.session(sessionId), target);
  }

  async report(sessionId: SessionId) {
    return reportOf(this.session(sessionId));
  }

  async reportPage(sessionId: SessionId) {
    return `<!doctype html>\n<title>${this.session(sessionId).title}</title>\n`;
  }

  async exportPlan(sessionId: SessionId, format: "sh" | "md" | "json") {
    const { plan } = this.session(sessionId);
    if (!plan) throw engineError("not-now", "There is no plan to export yet. Open a page first.");
    if (format === "json") return JSON.stringify(plan, null, 2);
    return plan.steps.map((step) => commandOf(step)).join("\n");
  }

  async saveText(options: { title: string; ending: string; text: string }) {
    this.saved.push(options);
    return `/home/ada/${options.title}.${options.ending}`;
  }

  async readOutput(sessionId: SessionId, stepId: string, attempt: number) {
    const found = this.session(sessionId).results.find(
      (result) => result.stepId === stepId && result.attemptIndex === attempt,
    );
    return found?.output ?? "";
  }

  async outputRows(sessionId: SessionId, stepId: string, attempt: number, from: number, count: number) {
    return textSource(await this.readOutput(sessionId, stepId, attempt)).rows(from, count);
  }

  async searchOutput(sessionId: SessionId, stepId: string, attempt: number, query: OutputQuery) {
    const source = textSource(await this.readOutput(sessionId, stepId, attempt));
    return source.search(query.text, query.matchCase);
  }

  async getSettings() {
    return this.#settings;
  }

  async setSettings(settings: Settings) {
    this.#settings = settings;
    this.publish([
      { type: "settings", settings },
      { type: "models", status: this.models.status(settings) },
    ]);
  }

  async grants() {
    return this.safety.grants;
  }

  async revokeGrant(id: string) {
    this.safety.revoke(id);
  }

  async previewGrant(rule: GrantRule, _sessionId: SessionId | null, _lifetime: GrantLifetime) {
    return this.safety.preview(rule);
  }

  async addNever(rule: GrantRule) {
    this.safety.addNever(rule);
  }

  async forecast(approvalId: ApprovalId) {
    return this.safety.forecast(approvalId, [...this.#sessions.values()]);
  }

  async lookingAt(sessionId: SessionId | null) {
    this.lookedAt.push(sessionId);
  }

  async appInfo() {
    return {
      version: "0.1.0",
      dataFolder: "/home/ada/.local/share/planwright",
      home: "/home/ada",
      user: "ada",
      model: this.#model(),
      notice: null,
    };
  }

  async storage() {
    return this.kept.use(this.#list(), this.#settings, this.#now());
  }

  async metrics(_since: string | null) {
    return demoMetrics();
  }

  async guideRules() {
    return this.rules;
  }

  async forgetExperience(id: string | null) {
    const forgets = (rule: GuideRule) => id === null || rule.id === id;
    this.rules = this.rules.map((rule) => (forgets(rule) ? { ...rule, helped: 0, failed: 0 } : rule));
  }

  async clearDue(sessions: SessionId[]) {
    const { due } = await this.storage();
    const { trashKib } = this.kept;
    for (const id of sessions.filter((one) => due.includes(one))) await this.deleteSession(id);
    this.kept.trashKib = trashKib;
    return this.storage();
  }

  async emptyTrash() {
    this.kept.trashKib = 0;
    return this.storage();
  }

  async openDataFolder() {
    this.kept.opened += 1;
  }

  async modelStatus() {
    return this.models.status(this.#settings);
  }

  async testConnection(choice: ModelChoice, key?: string) {
    return this.models.test(choice, key);
  }

  async setKey(provider: ProviderKind, key: string) {
    this.models.keep(provider, key);
    this.publish([{ type: "models", status: this.models.status(this.#settings) }]);
  }

  async forgetKey(provider: ProviderKind) {
    this.models.forget(provider);
    this.publish([{ type: "models", status: this.models.status(this.#settings) }]);
  }

  async keyStatuses() {
    return this.models.keyStatuses();
  }

  async discoverServers() {
    return this.models.servers();
  }

  async escalationEstimate(_sessionId: SessionId) {
    return this.models.estimate(this.#settings);
  }

  /** What having a page sorted would cost; nothing of the demonstration's is left open. */
  sorting: QuestionEstimate | null = null;

  async sortingEstimate(_sessionId: SessionId) {
    return this.sorting;
  }

  subscribe(onUpdates: (updates: Update[]) => void) {
    this.#listeners.add(onUpdates);
    return () => {
      this.#listeners.delete(onUpdates);
    };
  }

  onShowSession(show: (id: SessionId) => void) {
    this.#shows.add(show);
    return () => {
      this.#shows.delete(show);
    };
  }

  /** As when the user chooses a session in the tray. */
  showSession(id: SessionId) {
    for (const show of this.#shows) show(id);
  }

  onDrop(on: { over(hovering: boolean): void; drop(paths: string[]): void }) {
    this.#drops.add(on);
    return () => {
      this.#drops.delete(on);
    };
  }
}
