/* Every action of the window, in one list: the menus, the palette and the keyboard are three views of it. */
import { useRef } from "react";
import { routeKeys } from "@/features/chat/RouteMenu";
import { type TextKey, t } from "@/i18n";
import type { Mode, SessionId, Theme } from "@/ipc/bindings";
import { type ExportFormat, type Host, useHost } from "@/ipc/host";
import { canGoOn, hasEnded, isUnderWay, openGoalOf, toTakeOver } from "@/shared/goal";
import { busyWith, keptIn, lastUndo, planTarget, undoableRun } from "@/shared/undo";
import { type Entry, modelAnswers, type Store, useApp, useAppStore } from "@/state/store";
import { edit } from "./editing";

export type MenuName = "file" | "edit" | "mode" | "view" | "help";

export type Action = {
  id: string;
  label: string;
  menu: MenuName;
  /** As "Mod+Shift+N"; also what the keyboard listens to. */
  keys?: string;
  /** False when it makes no sense now; it stays listed, greyed. */
  enabled: boolean;
  /** Why it makes no sense now, where that is not plain to see. */
  why?: string;
  /** For a choice among several: whether it is the present one. */
  checked?: boolean;
  /** A line above it in its menu. */
  separated?: boolean;
  run: () => void;
};

const ROUTES: Entry[] = ["auto", "chat", "plan", "solve", "do", "goal"];

const MODES: Mode[] = ["teacher", "planner", "agentic"];

const THEMES: { theme: Theme; label: TextKey }[] = [
  { theme: "system", label: "action.themeSystem" },
  { theme: "light", label: "action.themeLight" },
  { theme: "dark", label: "action.themeDark" },
  { theme: "contrast", label: "action.themeContrast" },
];

const EXPORTS: { format: ExportFormat; label: TextKey }[] = [
  { format: "md", label: "action.exportMarkdown" },
  { format: "sh", label: "action.exportScript" },
  { format: "json", label: "action.exportJson" },
];

const REPORTS: { ending: string; label: TextKey; text: (host: Host, id: SessionId) => Promise<string> }[] = [
  { ending: "md", label: "action.reportMarkdown", text: (host, id) => host.report(id) },
  { ending: "html", label: "action.reportPage", text: (host, id) => host.reportPage(id) },
];

function listActions(host: Host, get: () => Store): Action[] {
  const { session, settings, planWide, pageBeside } = get();
  const plan = session?.plan ?? null;
  const state = plan?.state.type;
  const running = state === "running" || state === "recovering";
  const mode = plan?.mode ?? settings?.defaultMode ?? "planner";
  const goal = session?.goal ?? null;
  const pursued = goal !== null && !hasEnded(goal);
  const goalWorks = goal !== null && isUnderWay(goal);
  const goalRests = session !== null && goal !== null && !goalWorks && (pursued || canGoOn(session));
  const begin = state === "draft" || state === "ready";
  const resumable = state === "paused" || state === "stuck" || state === "failed" || state === "cancelled";

  const file: Action[] = [
    {
      id: "new",
      label: t("action.newSession"),
      menu: "file",
      keys: "Mod+N",
      enabled: true,
      run: () => get().goHome(),
    },
    {
      id: "open",
      label: t("action.openPage"),
      menu: "file",
      keys: "Mod+O",
      enabled: true,
      run: () => void get().choosePage(),
    },
    {
      id: "folder",
      label: t("action.chooseFolder"),
      menu: "file",
      enabled: true,
      run: () => void get().chooseFolder(),
    },
    {
      id: "example",
      label: t("action.tryExample"),
      menu: "file",
      enabled: true,
      run: () => get().showOverlay({ type: "examples" }),
    },
    {
      id: "report",
      label: t("action.report"),
      menu: "file",
      keys: "Mod+R",
      enabled: session !== null,
      separated: true,
      run: () => get().showOverlay({ type: "report" }),
    },
    ...REPORTS.map(
      ({ ending, label, text }): Action => ({
        id: `report-${ending}`,
        label: t(label),
        menu: "file",
        enabled: session !== null,
        run: () => {
          if (!session) return;
          void get().saveAs(session.title, `report.${ending}`, () => text(host, session.id));
        },
      }),
    ),
    ...EXPORTS.map(
      ({ format, label }): Action => ({
        id: `export-${format}`,
        label: t(label),
        menu: "file",
        enabled: plan !== null,
        run: () => {
          if (!session) return;
          void get().saveAs(session.title, format, () => host.exportPlan(session.id, format));
        },
      }),
    ),
    {
      id: "export-session",
      label: t("action.exportSession"),
      menu: "file",
      enabled: session !== null,
      run: () => {
        if (session) {
          void get().saveAs(session.title, "session.json", () => host.exportSession(session.id));
        }
      },
    },
    {
      id: "settings",
      label: t("action.settings"),
      menu: "file",
      keys: "Mod+,",
      enabled: true,
      separated: true,
      run: () => get().show("settings"),
    },
    {
      id: "models",
      label: t("action.models"),
      menu: "file",
      enabled: true,
      run: () => get().showSettings("models"),
    },
    {
      id: "permissions",
      label: t("action.permissions"),
      menu: "file",
      enabled: true,
      run: () => get().show("permissions"),
    },
    {
      id: "metrics",
      label: t("action.metrics"),
      menu: "file",
      enabled: true,
      run: () => get().show("metrics"),
    },
    {
      id: "guide",
      label: t("action.guide"),
      menu: "file",
      enabled: true,
      run: () => get().show("guide"),
    },
  ];

  const editing: Action[] = [
    { id: "cut", label: t("action.cut"), menu: "edit", enabled: true, run: () => edit("cut") },
    { id: "copy", label: t("action.copy"), menu: "edit", enabled: true, run: () => edit("copy") },
    {
      id: "select-all",
      label: t("action.selectAll"),
      menu: "edit",
      enabled: true,
      run: () => edit("selectAll"),
    },
    {
      id: "compose",
      label: t("action.compose"),
      menu: "edit",
      keys: "Mod+L",
      enabled: true,
      separated: true,
      run: () => get().focusComposer(),
    },
    ...ROUTES.map(
      (route, at): Action => ({
        id: `route-${route}`,
        label: t(`action.route.${route}`),
        menu: "edit",
        keys: routeKeys(route),
        // Without a model only pages can be followed, which Auto does.
        enabled: !pursued && (route === "auto" || modelAnswers(get())),
        checked: get().route === route,
        separated: at === 0,
        run: () => {
          get().setRoute(route);
          get().focusComposer();
        },
      }),
    ),
    ...undoActions(get),
    {
      id: "rename",
      label: t("action.rename"),
      menu: "edit",
      keys: "F2",
      enabled: session !== null,
      separated: true,
      run: () => session && get().showOverlay({ type: "rename", id: session.id, title: session.title }),
    },
    {
      id: "delete",
      label: t("action.delete"),
      menu: "edit",
      enabled: session !== null,
      run: () => session && get().showOverlay({ type: "delete", id: session.id, title: session.title }),
    },
  ];

  const leading: Action[] = [
    ...MODES.map(
      (choice, at): Action => ({
        id: choice,
        label: t(`mode.${choice === "fixer" ? "planner" : choice}`),
        menu: "mode",
        keys: `Mod+${at + 1}`,
        enabled: true,
        checked: mode === choice || (choice === "planner" && mode === "fixer"),
        run: () => {
          if (plan) void get().command({ type: "set-mode", mode: choice });
          else if (settings) void get().saveSettings({ ...settings, defaultMode: choice });
        },
      }),
    ),
    {
      id: "run",
      label: resumable || goalRests ? t("action.resume") : t("action.run"),
      menu: "mode",
      keys: "F5",
      enabled: goal && pursued ? goalRests : begin || resumable || goalRests,
      separated: true,
      run: () => {
        if (!session) return;
        if (goalRests) {
          void get().command({ type: "resume", mode: null });
          return;
        }
        if (!plan) return;
        void get().attempt(async () => {
          if (begin) {
            // The revision that is shown, and no other: when it is refused nothing starts.
            if (state === "draft") {
              await host.submit(session.id, { type: "confirm", revision: plan.revision, allowed: [] });
            }
            await host.planExecute(plan.id, null);
          } else {
            await host.submit(session.id, { type: "resume", mode: null });
          }
        });
      },
    },
    {
      id: "pause",
      label: t("action.pause"),
      menu: "mode",
      keys: "F6",
      enabled: running || goalWorks,
      run: () => void get().command({ type: "pause" }),
    },
    {
      id: "stop",
      label: t("action.stop"),
      menu: "mode",
      keys: "Shift+F5",
      enabled: running || state === "paused" || state === "stuck" || pursued,
      run: () => void get().command({ type: "cancel" }),
    },
    ...goalActions(get),
  ];

  const view: Action[] = [
    {
      id: "palette",
      label: t("action.palette"),
      menu: "view",
      keys: "Mod+K",
      enabled: true,
      run: () => get().showOverlay({ type: "palette" }),
    },
    {
      id: "plan-wide",
      label: t("action.planWide"),
      menu: "view",
      keys: "Mod+Shift+F",
      enabled: plan !== null,
      checked: planWide,
      run: () => get().setPlanWide(!planWide),
    },
    {
      id: "page-beside",
      label: t("page.show"),
      menu: "view",
      keys: "Mod+Shift+P",
      enabled: Boolean(plan?.page),
      checked: pageBeside,
      run: () => get().showPage(!pageBeside),
    },
    ...THEMES.map(
      ({ theme, label }, at): Action => ({
        id: `theme-${theme}`,
        label: t(label),
        menu: "view",
        enabled: settings !== null,
        checked: (settings?.theme ?? "system") === theme,
        separated: at === 0,
        run: () => {
          if (settings) void get().saveSettings({ ...settings, theme });
        },
      }),
    ),
  ];

  const help: Action[] = [
    {
      id: "shortcuts",
      label: t("action.shortcuts"),
      menu: "help",
      keys: "F1",
      enabled: true,
      run: () => get().showOverlay({ type: "shortcuts" }),
    },
    {
      id: "trouble",
      label: t("action.trouble"),
      menu: "help",
      enabled: true,
      run: () => get().showHelp(null),
    },
    {
      id: "about",
      label: t("action.about"),
      menu: "help",
      enabled: true,
      run: () => get().showOverlay({ type: "about" }),
    },
  ];

  return [...file, ...editing, ...leading, ...view, ...help];
}

/** What only a goal has. */
function goalActions(get: () => Store): Action[] {
  const { session } = get();
  const goal = openGoalOf(session);
  const next = session ? toTakeOver(session) : null;
  return [
    {
      id: "todos",
      label: t("goal.action.todos"),
      menu: "mode",
      keys: "Mod+J",
      enabled: Boolean(session?.goal),
      separated: true,
      run: () => get().showPlan(),
    },
    {
      id: "add-todo",
      label: t("goal.action.addTodo"),
      menu: "mode",
      keys: "Mod+Shift+J",
      enabled: goal !== null,
      run: () => get().addTodo(),
    },
    {
      id: "take-over",
      label: t("goal.action.takeOver"),
      menu: "mode",
      keys: "Mod+Shift+H",
      enabled: next !== null,
      run: () => next && void get().command({ type: "take-over", actionId: next.id }),
    },
  ];
}

/** Taking back what the run did, and taking that back. */
function undoActions(get: () => Store): Action[] {
  const { session } = get();
  const plan = session?.plan;
  const run = session ? undoableRun(session, keptIn(session)) : null;
  const last = session ? lastUndo(session) : null;
  const busy = session ? busyWith(session) : null;
  const whyNoRun =
    run?.type === "cannot" ? run.why : t(run?.type === "undone" ? "undo.why.runUndone" : "undo.why.noRun");
  return [
    {
      id: "undo-run",
      label: t("undo.runAction"),
      menu: "edit",
      keys: "Mod+Alt+Z",
      enabled: run?.type === "can",
      ...(run?.type === "can" ? {} : { why: whyNoRun }),
      separated: true,
      run: () => plan && get().undo(planTarget(plan)),
    },
    {
      id: "undo-undo",
      label: t("undo.undoAction"),
      menu: "edit",
      enabled: last !== null && busy === null,
      ...(last !== null && busy === null ? {} : { why: busy ?? t("undo.why.noUndo") }),
      run: () => last && get().undo({ type: "undo", undoId: last.id }),
    },
  ];
}

/**
 * The list as it looks now; a new one only when it looks otherwise, so that the menus stand still while a session runs.
 * What an action does is looked up when it is done: the state may have moved on since the list was made.
 */
export function useActions(): Action[] {
  const host = useHost();
  const store = useAppStore();
  const kept = useRef<Action[]>([]);
  return useApp(() => {
    const list = () => listActions(host, store.getState);
    const fresh = list();
    if (!looksAlike(kept.current, fresh)) {
      kept.current = fresh.map((action) => ({
        ...action,
        run: () =>
          list()
            .find((now) => now.id === action.id)
            ?.run(),
      }));
    }
    return kept.current;
  });
}

function looksAlike(before: Action[], now: Action[]): boolean {
  return (
    before.length === now.length &&
    now.every((action, at) => {
      const other = before[at];
      return (
        action.id === other?.id &&
        action.label === other.label &&
        action.enabled === other.enabled &&
        action.why === other.why &&
        action.checked === other.checked
      );
    })
  );
}
