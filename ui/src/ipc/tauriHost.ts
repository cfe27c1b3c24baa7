/* The host that is the desktop program: each method is the command of the same name. The only file, beside the generated
   bindings, that may know Tauri. */
import { Channel } from "@tauri-apps/api/core";
import { getCurrentWebview } from "@tauri-apps/api/webview";
import { commands, type SessionId, type Update } from "./bindings";
import type { Host } from "./host";

/** Whether the page runs inside the desktop program. */
export function inTauri(): boolean {
  return "__TAURI_INTERNALS__" in window;
}

export function tauriHost(): Host {
  return {
    listSessions: (query) => commands.listSessions(query ?? null),
    createSession: ({ title, cwd }) => commands.createSession(title ?? null, cwd ?? null),
    openSession: (id) => commands.openSession(id),
    deleteSession: (id) => done(commands.deleteSession(id)),
    exportSession: (id) => commands.exportSession(id),

    importText: ({ name, text, cwd, sessionId }) =>
      commands.importText(name, text, cwd ?? null, sessionId ?? null),
    importFile: ({ path, cwd, sessionId }) => commands.importFile(path, cwd ?? null, sessionId ?? null),
    importAddress: ({ address, cwd, sessionId }) =>
      commands.importAddress(address, cwd ?? null, sessionId ?? null),
    chooseRunbook: () => commands.chooseRunbook(),
    chooseFolder: () => commands.chooseFolder(),
    examples: () => commands.examples(),
    tryExample: (id) => commands.tryExample(id),

    submit: (sessionId, command) => done(commands.submit(sessionId, command)),
    planExecute: (planId, mode) => done(commands.planExecute(planId, mode)),
    answerSecret: (sessionId, requestId, answer) => done(commands.answerSecret(sessionId, requestId, answer)),
    explain: (sessionId, command) => commands.explain(sessionId, command),
    pageView: (sessionId) => commands.pageView(sessionId),
    pagePatch: (sessionId) => commands.pagePatch(sessionId),
    undoPreview: (sessionId, target) => commands.undoPreview(sessionId, target),
    terminalInput: (sessionId, stepId, input) => done(commands.terminalInput(sessionId, stepId, input)),
    terminalScreen: (sessionId, stepId, attempt) => commands.terminalScreen(sessionId, stepId, attempt),
    report: (sessionId) => commands.report(sessionId),
    reportPage: (sessionId) => commands.reportPage(sessionId),
    exportPlan: (sessionId, format) => commands.exportPlan(sessionId, format),
    saveText: ({ title, ending, text }) => commands.saveText(title, ending, text),
    readOutput: (sessionId, stepId, attempt) => commands.readOutput(sessionId, stepId, attempt),
    outputRows: (sessionId, stepId, attempt, from, count) =>
      commands.outputRows(sessionId, stepId, attempt, from, count),
    searchOutput: (sessionId, stepId, attempt, query) =>
      commands.searchOutput(sessionId, stepId, attempt, query),

    getSettings: () => commands.getSettings(),
    setSettings: (settings) => done(commands.setSettings(settings)),
    grants: () => commands.grants(),
    revokeGrant: (id) => done(commands.revokeGrant(id)),
    previewGrant: (rule, sessionId, lifetime) => commands.previewGrant(rule, sessionId, lifetime),
    addNever: (rule) => done(commands.addNever(rule)),
    forecast: (approvalId) => commands.forecast(approvalId),
    appInfo: () => commands.appInfo(),
    lookingAt: (sessionId) => done(commands.lookingAt(sessionId)),

    storage: () => commands.storage(),
    metrics: (since) => commands.metrics(since),
    guideRules: () => commands.guideRules(),
    forgetExperience: (rule) => done(commands.forgetExperience(rule)),
    clearDue: (sessions) => commands.clearDue(sessions),
    emptyTrash: () => commands.emptyTrash(),
    openDataFolder: () => done(commands.openDataFolder()),

    modelStatus: () => commands.modelStatus(),
    testConnection: (choice, key) => commands.testConnection(choice, key ?? null),
    setKey: (provider, key) => done(commands.setKey(provider, key)),
    forgetKey: (provider) => done(commands.forgetKey(provider)),
    keyStatuses: () => commands.keyStatuses(),
    discoverServers: () => commands.discoverServers(),
    escalationEstimate: (sessionId) => commands.escalationEstimate(sessionId),
    sortingEstimate: (sessionId) => commands.sortingEstimate(sessionId),

    subscribe(onUpdates) {
      let live = true;
      let batches = 0;
      const channel = new Channel<Update[]>((updates) => {
        if (live) onUpdates(updates);
        batches += 1;
        const drawn = batches;
        onceDrawn(() => void commands.took(drawn));
      });
      void commands.subscribe(channel);
      return () => {
        live = false;
      };
    },

    onShowSession(show) {
      const listening = getCurrentWebview().listen<SessionId>("show-session", ({ payload }) => show(payload));
      return () => {
        void listening.then((stop) => stop());
      };
    },

    onDrop({ over, drop }) {
      const listening = getCurrentWebview().onDragDropEvent(({ payload }) => {
        switch (payload.type) {
          case "enter":
          case "over":
            over(true);
            break;
          case "leave":
            over(false);
            break;
          case "drop":
            over(false);
            drop(payload.paths);
            break;
        }
      });
      return () => {
        void listening.then((stop) => stop());
      };
    },
  };
}

/** Commands without an answer answer null. */
async function done(command: Promise<unknown>): Promise<void> {
  await command;
}

/** A page that is not looked at draws no frames; it is done with what it was given all the same. */
function onceDrawn(tell: () => void): void {
  if (document.visibilityState === "visible") requestAnimationFrame(tell);
  else setTimeout(tell);
}
