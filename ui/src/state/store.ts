/* The store: the reducer's value, the effects around it (opening sessions, sending commands, showing errors) and the few
   things only the window knows (which page is open, drafts, widths). */
import { createContext, useContext } from "react";
import { toast } from "sonner";
import { createStore, type StoreApi, useStore } from "zustand";
import { t } from "@/i18n";
import type {
  AppInfo,
  Command,
  EngineError,
  GoalRequest,
  MessageId,
  Route,
  SessionId,
  SessionState,
  Settings,
  StepId,
  UndoRecord,
  UndoTarget,
  Update,
} from "@/ipc/bindings";
import { type Host, toEngineError } from "@/ipc/host";
import { undoInWords } from "@/shared/undo";
import { forecasts } from "./forecasts";
import { type GoalOptions, usualOptions } from "./goalOptions";
import { liveAnswer } from "./liveAnswer";
import { liveOutput } from "./liveOutput";
import { type AppState, applyUpdate, initialState, pauses, showSession } from "./reducer";
import { remedyFor } from "./remedies";
import { terminalStream } from "./terminals";
import { forget, keepWaiting, MAX_WAITING, unread } from "./waiting";

export type Page = "session" | "settings" | "permissions" | "metrics" | "guide";

/** Parts of the settings that something else leads to. */
export type SettingsPart = "models" | "caps" | "safety" | "storage";

/** What floats over the window; one at a time. */
export type Overlay =
  | { type: "palette" }
  | { type: "shortcuts" }
  | { type: "about" }
  | { type: "report" }
  | { type: "examples" }
  | { type: "explain"; command: string }
  /** What an undo would do, in the session that is shown. */
  | { type: "undo"; target: UndoTarget; title: string | undefined }
  /** What the run mended on the page of the plan. */
  | { type: "mend" }
  | { type: "rename"; id: SessionId; title: string }
  | { type: "delete"; id: SessionId; title: string };

/** The part shown when the window is too narrow for all. */
export type Tab = "sessions" | "chat" | "plan";

export type Editing = { sessionId: SessionId; messageId: MessageId; kept: string };

/** What the composer makes of words: a route of the conversation, or a goal. */
export type Entry = Route | "goal";

export type Words = {
  text: string;
  route: Route;
  /** An earlier message that these words take the place of. */
  replaces?: MessageId;
};

export type Store = AppState & {
  page: Page;
  /** The part of the settings to bring into view when they open. */
  settingsPart: SettingsPart | null;
  overlay: Overlay | null;
  tab: Tab;
  info: AppInfo | null;
  /** The help that is open over all else: on a code, or the whole page. */
  help: { code: string | null } | null;
  /** Why the engine could not be reached when the window opened; nothing works until it can. */
  trouble: EngineError | null;
  /** What is typed but not sent, by session; the key "" is the home page's. */
  drafts: Record<string, string>;
  /** Long texts that were pasted and go along with the draft, by session likewise. */
  pasted: Record<string, string[]>;
  /** Files hover over the window. */
  dropping: boolean;
  /** The revision that the plan is compared with. */
  compareWith: number | null;
  planWide: boolean;
  /** The page stands beside the plan, in the conversation's place. */
  pageBeside: boolean;
  /** The step that is pointed at, on the page or in the plan. */
  pointed: StepId | null;
  /** The folder chosen for the next plan; null for the shown session's, or at home the engine's default. */
  folder: string | null;
  /** Counts up whenever the composer should take the focus. */
  composerFocus: number;
  /** Counts up whenever the plan should take the focus. */
  planFocus: number;
  /** What the composer asks for. */
  route: Entry;
  /** How the next goal is pursued. */
  goalOptions: GoalOptions;
  /** Counts up whenever the field for a new to-do should take the focus. */
  todoFocus: number;
  /** The earlier message that is being rewritten in the composer, with the draft that waits meanwhile. */
  editing: Editing | null;

  /** Asks for everything that the window shows beside a session. */
  load(): Promise<void>;
  start(): () => void;
  open(id: SessionId): Promise<void>;
  adopt(session: SessionState): void;
  goHome(): void;
  show(page: Page): void;
  showSettings(part: SettingsPart): void;
  setTab(tab: Tab): void;
  showOverlay(overlay: Overlay | null): void;
  showHelp(code: string | null): void;
  closeHelp(): void;
  /** Shows what an undo would do; nothing is done before it is confirmed there. `title`: of a call of the conversation. */
  undo(target: UndoTarget, title?: string): void;
  setDraft(key: string, text: string): void;
  setPasted(key: string, pages: string[]): void;
  compare(revision: number | null): void;
  setPlanWide(wide: boolean): void;
  showPage(beside: boolean): void;
  point(id: StepId): void;
  setFolder(folder: string | null): void;
  focusComposer(): void;
  /** Brings the plan into sight and gives it the focus. */
  showPlan(): void;
  setRoute(route: Entry): void;
  editMessage(messageId: MessageId, text: string): void;
  /** Gives the composer back what was in it before. */
  stopEditing(): void;
  /** Says something to the agent, in a session of its own when none is shown. Rejects with what went wrong. */
  say(words: Words): Promise<void>;
  /** Sets a goal, in a session of its own when none is shown. Rejects with what went wrong. */
  pursue(request: GoalRequest): Promise<void>;
  /** Brings the to-do list into sight and gives its field the focus. */
  addTodo(): void;
  command(command: Command, sessionId?: SessionId): Promise<void>;
  /** Makes a plan of a file; in the shown session when that one has no plan yet. */
  importFile(path: string): Promise<void>;
  /** Lets the user choose a file, then makes a plan of it. */
  choosePage(): Promise<void>;
  chooseFolder(): Promise<void>;
  remove(id: SessionId): Promise<boolean>;
  /** Asks where to save; says where it went. */
  saveAs(title: string, ending: string, text: () => Promise<string>): Promise<void>;
  saveSettings(settings: Settings): Promise<void>;
  refreshGrants(): Promise<void>;
  /** Runs something and shows what goes wrong; null when it did. */
  attempt<T>(work: () => Promise<T>): Promise<T | null>;
};

/** Whether a model answers now; without one there are only rules. */
export function modelAnswers({ models, info }: Pick<Store, "models" | "info">): boolean {
  return models ? Boolean(models.main) : Boolean(info?.model);
}

/** Whether every change is asked about, not only what is dangerous. */
export function asksForChanges({ settings }: Pick<Store, "settings">): boolean {
  return settings?.askFrom === "caution";
}

/** Tells the host which session is seen, now and whenever it is another one. */
function watchLook(store: Pick<StoreApi<Store>, "getState" | "subscribe">, host: Host): () => void {
  let told: SessionId | null = null;
  const tell = ({ page, session }: Store) => {
    const seen = page === "session" ? (session?.id ?? null) : null;
    if (seen === told) return;
    told = seen;
    // Nothing is lost but a mark when it cannot be told.
    host.lookingAt(seen).catch(() => undefined);
  };
  tell(store.getState());
  return store.subscribe(tell);
}

export function createAppStore(host: Host): StoreApi<Store> {
  return createStore<Store>((set, get, store) => {
    /** An error as a toast, with the way to the place where it is put right. */
    const tell = (error: EngineError, options: { id?: string; stays?: boolean } = {}) => {
      const remedy = remedyFor(error.code);
      toast.error(error.message, {
        id: options.id,
        // Long enough to read, and to ask what it means.
        duration: options.stays || remedy ? 20_000 : 8_000,
        cancel: { label: t("shared.aboutError"), onClick: () => get().showHelp(error.code) },
        action: remedy
          ? { label: t(remedy.label), onClick: () => get().showSettings(remedy.part) }
          : undefined,
      });
    };

    const attempt = async <T>(work: () => Promise<T>): Promise<T | null> => {
      try {
        return await work();
      } catch (thrown) {
        const error = toEngineError(thrown);
        tell(error, { id: error.message });
        return null;
      }
    };

    /** What an undo did, with the way to take it back. A rollback is told by the end of its run. */
    const tellUndone = (sessionId: SessionId, undo: UndoRecord) => {
      if (undo.by !== "user") return;
      const takeBack = async () => {
        if (get().session?.id !== sessionId) await get().open(sessionId);
        if (get().session?.id === sessionId) get().undo({ type: "undo", undoId: undo.id });
      };
      toast.success(`${undoInWords(undo)}.`, {
        id: undo.id,
        duration: 12_000,
        action: { label: t("undo.undoThis"), onClick: () => void takeBack() },
      });
    };

    const resync = async () => {
      const id = get().resync;
      if (!id) return;
      const session = await attempt(() => host.openSession(id));
      set((state) => {
        if (state.session?.id !== id) return { ...state, resync: null };
        return session ? showSession(state, session) : { ...state, resync: null };
      });
    };

    /** The newest event heard of each session, shown or not: a snapshot taken before it is stale. */
    const heard = new Map<SessionId, number>();

    /** Being fetched, so that nothing is fetched twice at a time. */
    const reading = new Set<SessionId>();
    /** Fetches the sessions elsewhere that ask something. */
    const readWaiting = () => {
      for (const id of get().unread) {
        if (reading.has(id)) continue;
        reading.add(id);
        void host
          .openSession(id)
          .then(
            (session) => {
              const stale = (heard.get(id) ?? 0) > session.seq;
              set((state) => (stale ? state : keepWaiting(state, session)));
            },
            // It is gone, or cannot be read; opening it from the list says why.
            () => set((state) => forget(state, id)),
          )
          .finally(() => {
            reading.delete(id);
            if (get().unread.includes(id)) readWaiting();
          });
      }
    };

    /** The shown session; when none is shown a new one, named after the words. */
    const sessionFor = async (words: string): Promise<SessionId> => {
      const { session, folder } = get();
      if (session) return session.id;
      const made = await host.createSession({
        title: titleFrom(words),
        ...(folder ? { cwd: folder } : {}),
      });
      get().adopt(made);
      get().focusComposer();
      return made.id;
    };

    /** Words that are refused go along to the session that was made for them, where their writer is by then. */
    const submitWords = async (words: string, command: Command) => {
      const isFirst = !get().session;
      const id = await sessionFor(words);
      try {
        await host.submit(id, command);
      } catch (thrown) {
        if (isFirst) {
          set(({ drafts, pasted }) => ({
            drafts: { ...drafts, "": "", [id]: drafts[""] ?? words },
            pasted: { ...pasted, "": [], [id]: pasted[""] ?? [] },
          }));
          tell(toEngineError(thrown));
        }
        throw thrown;
      }
    };

    const onUpdates = (updates: Update[]) => {
      for (const update of updates) {
        if (update.type === "problem") tell(update.error, { stays: true });
        if (update.type === "event") {
          const { sessionId, seq, event } = update.record;
          heard.set(sessionId, seq);
          // In the same task as the fold below, so that the event takes the place of the live text in one frame.
          liveAnswer.settle(sessionId, event);
          if (event.type === "approval-resolved") forecasts.forget(event.approvalId);
          if (event.type === "undone") tellUndone(sessionId, event.undo);
        }
        if (update.type === "forecast") forecasts.note(update.approvalId, update.forecast);
        if (update.type === "answer") {
          liveAnswer.append(update.sessionId, update.messageId, update.round, update.deltas);
        }
        if (update.type === "terminal") terminalStream.pass(update);
        if (update.type === "output") {
          liveOutput.append(update.sessionId, update.stepId, update.attempt, update.chunks);
        }
      }
      set((state) => updates.reduce<AppState>(applyUpdate, state));
      void resync();
      readWaiting();
    };

    return {
      ...initialState,
      page: "session",
      settingsPart: null,
      overlay: null,
      tab: "chat",
      info: null,
      help: null,
      trouble: null,
      drafts: {},
      pasted: {},
      dropping: false,
      compareWith: null,
      planWide: false,
      pageBeside: false,
      pointed: null,
      folder: null,
      composerFocus: 0,
      planFocus: 0,
      route: "auto",
      goalOptions: usualOptions,
      todoFocus: 0,
      editing: null,
      attempt,

      start() {
        const stops = [
          host.subscribe(onUpdates),
          host.onShowSession((id) => void get().open(id)),
          watchLook(store, host),
        ];
        void get().load();
        return () => {
          for (const stop of stops) stop();
        };
      },

      async load() {
        try {
          const [sessions, settings, grants, info] = await Promise.all([
            host.listSessions(),
            host.getSettings(),
            host.grants(),
            host.appInfo(),
          ]);
          set({ sessions, settings, grants, info, trouble: null });
          // Questions outlive the window that showed them.
          const asking = sessions.filter(({ status }) => status === "waiting-for-you").slice(0, MAX_WAITING);
          set((state) =>
            asking.reduce<AppState>(
              (next, { id }) => (id === state.session?.id ? next : unread(next, id)),
              state,
            ),
          );
          readWaiting();
          // On its own: a window that does not know its models yet still works.
          const models = await attempt(() => host.modelStatus());
          if (models && get().models === null) set({ models });
          if (info.notice) toast.warning(info.notice, { duration: 20_000 });
        } catch (thrown) {
          set({ trouble: toEngineError(thrown) });
        }
      },

      async open(id) {
        const session = await attempt(() => host.openSession(id));
        if (session) get().adopt(session);
      },
      adopt(session) {
        set((state) => ({
          ...showSession(state, session),
          page: "session",
          compareWith: null,
          pageBeside: state.session?.id === session.id && state.pageBeside,
          pointed: null,
          tab: "chat",
          folder: null,
        }));
        if ((heard.get(session.id) ?? 0) > session.seq) {
          set({ resync: session.id });
          void resync();
        }
      },
      goHome() {
        set((state) => ({
          ...showSession(state, null),
          page: "session",
          compareWith: null,
          tab: "chat",
          planWide: false,
        }));
        get().focusComposer();
      },
      show: (page) => set({ page, settingsPart: null, tab: "chat" }),
      showSettings: (settingsPart) => set({ page: "settings", settingsPart, tab: "chat" }),
      setTab: (tab) => set({ tab }),
      showOverlay: (overlay) => set({ overlay }),
      undo: (target, title) => set({ overlay: { type: "undo", target, title } }),
      showHelp: (code) => set({ help: { code } }),
      closeHelp: () => set({ help: null }),
      setDraft: (key, text) => set((state) => ({ drafts: { ...state.drafts, [key]: text } })),
      setPasted: (key, pages) => set((state) => ({ pasted: { ...state.pasted, [key]: pages } })),
      compare: (compareWith) =>
        set((state) => ({ compareWith, tab: compareWith === null ? state.tab : "plan" })),
      setPlanWide: (planWide) => set({ planWide }),
      showPage: (pageBeside) =>
        set((state) => ({ pageBeside, planWide: pageBeside ? false : state.planWide, tab: "chat" })),
      point: (pointed) => set({ pointed }),
      setFolder: (folder) => set({ folder }),
      focusComposer: () =>
        set((state) => ({
          composerFocus: state.composerFocus + 1,
          planWide: false,
          pageBeside: false,
          tab: "chat",
          page: "session",
        })),

      showPlan: () => set((state) => ({ planFocus: state.planFocus + 1, tab: "plan", page: "session" })),
      setRoute: (route) => set({ route }),
      editMessage(messageId, text) {
        const { session, drafts, editing } = get();
        if (!session) return;
        const kept = editing?.sessionId === session.id ? editing.kept : (drafts[session.id] ?? "");
        set({
          editing: { sessionId: session.id, messageId, kept },
          drafts: { ...drafts, [session.id]: text },
        });
        get().focusComposer();
      },
      stopEditing: () =>
        set(({ editing, drafts }) =>
          editing ? { editing: null, drafts: { ...drafts, [editing.sessionId]: editing.kept } } : {},
        ),

      async say({ text, route, replaces }) {
        await submitWords(text, { type: "say", text, route, replaces: replaces ?? null });
      },

      async pursue(request) {
        await submitWords(request.goal, { type: "pursue", request });
        // What is written next is for the agent, and not another goal.
        set({ route: "auto", goalOptions: usualOptions });
      },
      addTodo: () => set((state) => ({ todoFocus: state.todoFocus + 1, tab: "plan", page: "session" })),

      async command(command, sessionId) {
        const id = sessionId ?? get().session?.id;
        if (!id) return;
        await attempt(async () => {
          const plan = get().session?.plan;
          if (command.type === "start" && plan) await host.planExecute(plan.id, command.mode);
          else await host.submit(id, command);
          if (command.type === "pause") set((state) => pauses(state, id));
        });
      },
      async importFile(path) {
        const { session, folder } = get();
        const cwd = folder ?? session?.cwd;
        const sessionId = session && !session.plan ? session.id : undefined;
        const made = await attempt(() => host.importFile({ path, cwd, sessionId }));
        if (made) get().adopt(made);
      },
      async choosePage() {
        const path = await attempt(() => host.chooseRunbook());
        if (path) await get().importFile(path);
      },
      async chooseFolder() {
        const folder = await attempt(() => host.chooseFolder());
        if (folder) set({ folder });
      },
      async remove(id) {
        const removed = await attempt(async () => {
          await host.deleteSession(id);
          return true;
        });
        if (!removed) return false;
        liveOutput.forget(id);
        liveAnswer.forget(id);
        if (get().session?.id === id) get().goHome();
        set((state) => forget(state, id));
        return true;
      },
      async saveAs(title, ending, text) {
        const path = await attempt(async () => host.saveText({ title, ending, text: await text() }));
        if (path) toast.success(t("report.saved", { path }));
      },
      async saveSettings(settings) {
        const before = get().settings;
        set({ settings });
        const saved = await attempt(async () => {
          await host.setSettings(settings);
          return true;
        });
        if (!saved) set({ settings: before });
      },
      async refreshGrants() {
        const grants = await attempt(() => host.grants());
        if (grants) set({ grants });
      },
    };
  });
}

/** A session's title from the first words said in it. */
function titleFrom(text: string): string {
  const line = text.trim().split("\n", 1)[0] ?? "";
  const plain = line.replace(/^#+\s*/, "");
  return plain.length > 60 ? `${plain.slice(0, 59).trimEnd()}…` : plain;
}

export const StoreContext = createContext<StoreApi<Store> | null>(null);

export function useApp<T>(select: (store: Store) => T): T {
  const store = useContext(StoreContext);
  if (!store) throw new Error("useApp needs a StoreContext above it.");
  return useStore(store, select);
}

/** The store itself, for handlers that read without redrawing. */
export function useAppStore(): StoreApi<Store> {
  const store = useContext(StoreContext);
  if (!store) throw new Error("useAppStore needs a StoreContext above it.");
  return store;
}
