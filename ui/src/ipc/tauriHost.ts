/* The host that is the desktop program: each method is the command of the same name. The only file, beside the generated
   bindings, that may know Tauri. */
import { Channel, invoke } from "@tauri-apps/api/core";
import { getCurrentWebview } from "@tauri-apps/api/webview";
import type { Update } from "./bindings";
import type { Host } from "./host";

/** Whether the page runs inside the desktop program. */
export function inTauri(): boolean {
  return "__TAURI_INTERNALS__" in window;
}

export function tauriHost(): Host {
  return {
    listSessions: (query) => invoke("list_sessions", { query: query ?? null }),
    createSession: ({ title, cwd }) => invoke("create_session", { title: title ?? null, cwd: cwd ?? null }),
    openSession: (id) => invoke("open_session", { id }),
    deleteSession: (id) => invoke("delete_session", { id }),
    exportSession: (id) => invoke("export_session", { id }),

    importText: ({ name, text, cwd, sessionId }) =>
      invoke("import_text", { name, text, cwd: cwd ?? null, sessionId: sessionId ?? null }),
    importFile: ({ path, cwd, sessionId }) =>
      invoke("import_file", { path, cwd: cwd ?? null, sessionId: sessionId ?? null }),
    chooseRunbook: () => invoke("choose_runbook"),
    chooseFolder: () => invoke("choose_folder"),
    examples: () => invoke("examples"),
    tryExample: (id) => invoke("try_example", { id }),

    submit: (sessionId, command) => invoke("submit", { sessionId, command }),
    explain: (sessionId, command) => invoke("explain", { sessionId, command }),
    report: (sessionId) => invoke("report", { sessionId }),
    exportPlan: (sessionId, format) => invoke("export_plan", { sessionId, format }),
    saveText: ({ suggestedName, text }) => invoke("save_text", { suggestedName, text }),
    readOutput: (sessionId, stepId, attempt) => invoke("read_output", { sessionId, stepId, attempt }),

    getSettings: () => invoke("get_settings"),
    setSettings: (settings) => invoke("set_settings", { settings }),
    grants: () => invoke("grants"),
    revokeGrant: (id) => invoke("revoke_grant", { id }),
    appInfo: () => invoke("app_info"),

    subscribe(onUpdates) {
      let live = true;
      const channel = new Channel<Update[]>();
      channel.onmessage = (updates) => {
        if (live) onUpdates(updates);
      };
      void invoke("subscribe", { channel });
      return () => {
        live = false;
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
