/* Where words and instructions go in. With a model they are said to it; without one pages become plans, and text without a
   command is answered honestly and kept. When a plan is stuck the words go to whoever mends it. */
import { ArrowUp, Compass, Folder, Paperclip, Pause, Pencil, Play, Square, X } from "lucide-react";
import {
  type ClipboardEvent,
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useId,
  useRef,
  useState,
} from "react";
import { toast } from "sonner";
import type { StoreApi } from "zustand";
import { type TextKey, t } from "@/i18n";
import type { SessionState } from "@/ipc/bindings";
import { type Host, toEngineError, useHost } from "@/ipc/host";
import { AboutError } from "@/shared/AboutError";
import { Button, IconButton } from "@/shared/Button";
import { cx } from "@/shared/cx";
import { isUnderWay, openGoalOf } from "@/shared/goal";
import { useContentHeight } from "@/shared/hooks";
import { Kbd } from "@/shared/Kbd";
import { ModeSelector } from "@/shared/ModeSelector";
import { Spinner } from "@/shared/Spinner";
import { isRunUnderWay } from "@/shared/steps";
import { Tooltip } from "@/shared/Tooltip";
import { requestOf } from "@/state/goalOptions";
import { modelAnswers, type Store, useApp, useAppStore } from "@/state/store";
import { GoalOptions } from "./GoalOptions";
import { isAddress, isPage, PastedPages, withPages } from "./PastedPages";
import { RouteMenu } from "./RouteMenu";

/** Whether words would reach somebody: a goal is pursued, or the run is stuck or being mended. */
export function takesGuidance(session: SessionState | null): boolean {
  if (openGoalOf(session)) return true;
  const state = session?.plan?.state.type;
  return state === "stuck" || state === "recovering";
}

/** A folder as people write it: the home folder is "~". */
export function shortFolder(folder: string, home: string | undefined): string {
  if (!home || (folder !== home && !folder.startsWith(`${home}/`))) return folder;
  return `~${folder.slice(home.length)}`;
}

type Props = {
  className?: string;
  /** The model's name or its picker, at the right of the footer; without it the name stands there. */
  composerModel?: ReactNode;
};

const NONE: string[] = [];

/** What the composer is about to do with the words. */
type Purpose = "guide" | "edit" | "say" | "goal" | "import";

export function Composer({ className, composerModel }: Props) {
  const host = useHost();
  const store = useAppStore();
  const session = useApp((state) => state.session);
  const hasModel = useApp(modelAnswers);
  const key = session?.id ?? "";
  const draft = useApp((state) => state.drafts[key] ?? "");
  const editing = useApp((state) => (state.editing?.sessionId === state.session?.id ? state.editing : null));
  // Words that take the place of earlier ones stand as they are.
  const pages = useApp((state) => (editing ? NONE : (state.pasted[key] ?? NONE)));
  const wantsFocus = useApp((state) => state.composerFocus);
  const choosePage = useApp((state) => state.choosePage);
  const command = useApp((state) => state.command);
  const route = useApp((state) => state.route);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const box = useRef<HTMLTextAreaElement>(null);
  useContentHeight(box, draft);
  const problemId = useId();
  const working = Boolean(session?.conversation?.turn);
  const purpose: Purpose = editing
    ? "edit"
    : takesGuidance(session) && !working
      ? "guide"
      : !hasModel
        ? "import"
        : route === "goal"
          ? "goal"
          : "say";
  const goal = openGoalOf(session);
  const pursued = goal !== null;
  const isEmpty = draft.trim() === "" && pages.length === 0;

  useEffect(() => {
    if (wantsFocus > 0) box.current?.focus();
  }, [wantsFocus]);

  const write = (text: string) => {
    setProblem(null);
    store.getState().setDraft(key, text);
  };
  const setPages = (next: string[]) => {
    setProblem(null);
    store.getState().setPasted(key, next);
  };
  const earlier = useEarlier(session, write);

  const send = async () => {
    const written = withPages(draft, pages);
    const text = written.trim();
    if (text === "" || busy) return;
    setBusy(true);
    setProblem(null);
    try {
      await carryOut(purpose, text, written, host, store);
      // An edit gives back what was written before it.
      if (editing) store.getState().stopEditing();
      else {
        store.getState().setDraft(key, "");
        setPages([]);
      }
      earlier.reset();
    } catch (thrown) {
      const error = toEngineError(thrown);
      const noModel = error.code === "no-commands" || error.code === "no-model";
      setProblem({
        message: error.code === "no-commands" ? t("composer.noCommands") : error.message,
        code: error.code,
        offersModel: noModel && !hasModel,
      });
    } finally {
      setBusy(false);
    }
  };

  const onPaste = (event: ClipboardEvent<HTMLTextAreaElement>) => {
    const text = event.clipboardData.getData("text/plain");
    if (editing || !isPage(text)) return;
    event.preventDefault();
    setPages([...pages, text]);
  };

  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Escape" && editing) {
      event.preventDefault();
      store.getState().stopEditing();
    } else if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      void send();
    } else if (earlier.onKey(event.key, draft)) {
      event.preventDefault();
    }
  };

  return (
    <form
      data-composer
      className={cx("shrink-0", className)}
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      {problem ? <ProblemBar id={problemId} problem={problem} /> : null}
      <div className="rounded-lg border border-line-strong bg-raised shadow-1 transition-colors focus-within:border-ink-3">
        {editing ? <EditingBar /> : null}
        {goal && purpose === "guide" ? <GuidanceBar working={isUnderWay(goal)} /> : null}
        <PastedPages pages={pages} onChange={setPages} />
        <textarea
          ref={box}
          rows={1}
          value={draft}
          aria-label={t("composer.label")}
          aria-describedby={problem ? problemId : undefined}
          placeholder={placeholderFor(purpose, session, hasModel)}
          onChange={(event) => {
            earlier.reset();
            write(event.target.value);
          }}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
          className="block max-h-[33dvh] min-h-12 w-full resize-none bg-transparent px-4 pt-3.5 pb-1 text-md text-ink outline-none placeholder:text-ink-3"
        />
        {purpose === "goal" ? <GoalOptions /> : null}
        <div className="@container flex items-end gap-1 px-3 pb-3">
          {/* While a goal is pursued words can only be for it. */}
          {pursued ? null : (
            <div className="flex min-w-0 flex-wrap items-center gap-1">
              <RouteMenu hasModel={hasModel} />
              <FolderButton />
              <Leading />
              <IconButton label={t("composer.attach")} onClick={() => void choosePage()}>
                <Paperclip aria-hidden />
              </IconButton>
            </div>
          )}
          <span className="ml-auto flex h-7 max-w-[40%] min-w-0 items-center pr-1">
            {composerModel ?? <ModelName />}
          </span>
          {working ? (
            <Tooltip content={t("composer.stop")}>
              <button
                type="button"
                aria-label={t("composer.stop")}
                aria-keyshortcuts="Escape"
                onClick={() => void command({ type: "interrupt" })}
                className={ROUND}
              >
                <Square aria-hidden className="size-3 fill-current" />
              </button>
            </Tooltip>
          ) : null}
          {working && isEmpty ? null : (
            <button type="submit" aria-label={t(SEND[purpose])} disabled={isEmpty || busy} className={ROUND}>
              {busy ? <Spinner /> : <ArrowUp aria-hidden className="size-4" />}
            </button>
          )}
        </div>
      </div>
    </form>
  );
}

const ROUND =
  "grid size-7 shrink-0 place-items-center rounded-sm bg-ink text-ink-inverse transition-opacity disabled:opacity-35";

const SEND: Record<Purpose, TextKey> = {
  guide: "composer.sendGuide",
  edit: "composer.sendEdit",
  say: "composer.sendModel",
  goal: "goal.set.start",
  import: "composer.send",
};

/** Does what the words are for; rejects with what went wrong. */
async function carryOut(
  purpose: Purpose,
  text: string,
  written: string,
  host: Host,
  store: StoreApi<Store>,
): Promise<void> {
  const { session, folder, route, editing, say, adopt } = store.getState();
  const cwd = folder ?? session?.cwd;
  const sessionId = session && !session.plan ? session.id : undefined;
  const asksForPage =
    purpose === "import" || (purpose === "say" && ["auto", "plan", "solve"].includes(route));
  if (asksForPage && isAddress(text)) {
    adopt(await host.importAddress({ address: text, cwd, sessionId }));
    return;
  }
  switch (purpose) {
    case "guide":
      if (!session) return;
      await host.submit(session.id, { type: "guide", text });
      // Of a goal it stands in the conversation, with whether it was read.
      if (!openGoalOf(session)) toast.success(t("composer.guided"));
      return;
    case "edit":
      await say({
        text,
        route: route === "goal" ? "auto" : route,
        ...(editing ? { replaces: editing.messageId } : {}),
      });
      return;
    case "say":
      if (route !== "goal") await say({ text, route });
      return;
    case "goal": {
      const request = requestOf(text, store.getState().goalOptions);
      if ("missing" in request) throw { code: "invalid-input", message: request.missing };
      await store.getState().pursue(request);
      return;
    }
    case "import":
      adopt(await host.importText({ name: t("composer.pasted"), text: written, cwd, sessionId }));
  }
}

function placeholderFor(purpose: Purpose, session: SessionState | null, hasModel: boolean): string {
  if (purpose === "guide") return t(openGoalOf(session) ? "goal.guide.placeholder" : "composer.guide");
  if (purpose === "goal") return t("goal.set.placeholder");
  if (purpose === "edit") return t("composer.editing");
  const { turn, entries } = session?.conversation ?? {};
  if (turn) return t("composer.working");
  const last = entries?.at(-1);
  if (last?.type === "ended" && last.end.type === "asked") return t("composer.asked");
  const began = session?.plan || (entries?.length ?? 0) > 0;
  if (hasModel) return t(began ? "composer.sessionModel" : "composer.homeModel");
  return t(began ? "composer.session" : "composer.home");
}

/** Up in the empty composer brings back what was said before, Down the later words again. */
function useEarlier(session: SessionState | null, write: (text: string) => void) {
  const at = useRef(-1);
  const said = (session?.conversation?.entries ?? [])
    .flatMap((entry) => (entry.type === "user" ? [entry.text] : []))
    .reverse();
  const go = (to: number) => {
    at.current = to;
    write(said[to] ?? "");
    return true;
  };
  return {
    reset: () => {
      at.current = -1;
    },
    /** Whether the key was for this. */
    onKey: (key: string, draft: string): boolean => {
      const browsing = at.current >= 0 && draft === said[at.current];
      if (key === "ArrowUp" && (draft === "" || browsing)) {
        const next = browsing ? at.current + 1 : 0;
        return next < said.length ? go(next) : browsing;
      }
      if (key === "ArrowDown" && browsing) return go(at.current - 1);
      return false;
    },
  };
}

type Problem = { message: string; code: string; offersModel: boolean };

function ProblemBar({ id, problem }: { id: string; problem: Problem }) {
  const show = useApp((store) => store.show);
  return (
    <div className="mb-2 flex flex-wrap items-center gap-x-3 gap-y-2 rounded-md border border-line bg-caution-tint px-3 py-2 text-ink">
      <p id={id} role="alert" className="min-w-0 flex-1 basis-60">
        {problem.message}
      </p>
      <AboutError code={problem.code} />
      {problem.offersModel ? (
        <Button size="sm" onClick={() => show("settings")}>
          {t("composer.setUp")}
        </Button>
      ) : null}
    </div>
  );
}

function EditingBar() {
  const stopEditing = useApp((store) => store.stopEditing);
  return (
    <div className="flex items-center gap-2 border-b border-line py-1.5 pr-1.5 pl-4 text-sm">
      <Pencil aria-hidden className="size-3.5 shrink-0 text-agentic-ink" />
      <p className="min-w-0 flex-1">
        <span className="font-semibold">{t("composer.editingTitle")}</span>{" "}
        <span className="text-ink-2">{t("composer.editingText")}</span>
      </p>
      <Kbd keys="Escape" className="text-ink-3" />
      <IconButton label={t("composer.editingStop")} onClick={stopEditing}>
        <X aria-hidden />
      </IconButton>
    </div>
  );
}

/** Said plainly: words do not stop what runs, they reach the agent with its next step. */
function GuidanceBar({ working }: { working: boolean }) {
  const command = useApp((store) => store.command);
  return (
    <div className="flex items-center gap-2 border-b border-line py-1.5 pr-1.5 pl-4 text-sm">
      <Compass aria-hidden className="size-3.5 shrink-0 text-agentic-ink" />
      <p className="min-w-0 flex-1">
        <b className="font-semibold">{t("goal.guide.title")}</b>{" "}
        <span className="text-ink-2">{t("goal.guide.text")}</span>
      </p>
      {/* Beside the conversation the panel has them; in a narrow window it is behind a tab. */}
      <span className="-my-1 flex min-[900px]:hidden">
        {working ? (
          <IconButton label={t("goal.panel.pause")} onClick={() => void command({ type: "pause" })}>
            <Pause aria-hidden />
          </IconButton>
        ) : (
          <IconButton
            label={t("goal.panel.resume")}
            onClick={() => void command({ type: "resume", mode: null })}
          >
            <Play aria-hidden />
          </IconButton>
        )}
        <IconButton label={t("goal.panel.stop")} onClick={() => void command({ type: "cancel" })}>
          <Square aria-hidden />
        </IconButton>
      </span>
    </div>
  );
}

function ModelName() {
  const model = useApp((store) => store.models?.main?.model ?? store.info?.model);
  return <span className="truncate pr-1 text-sm text-ink-3">{model ?? t("composer.model")}</span>;
}

/** Who leads: of the plan that stands there, or of the next one. */
function Leading() {
  const plan = useApp((store) => store.session?.plan);
  const settings = useApp((store) => store.settings);
  const command = useApp((store) => store.command);
  const saveSettings = useApp((store) => store.saveSettings);
  if (!settings) return null;
  return (
    <ModeSelector
      tight
      mode={plan?.mode ?? settings.defaultMode ?? "planner"}
      disabled={plan ? isRunUnderWay(plan) : false}
      onChange={(mode) => {
        if (plan) void command({ type: "set-mode", mode });
        else void saveSettings({ ...settings, defaultMode: mode });
      }}
    />
  );
}

function FolderButton() {
  const session = useApp((store) => store.session);
  const folder = useApp((store) => store.folder);
  const home = useApp((store) => store.info?.home);
  const chooseFolder = useApp((store) => store.chooseFolder);
  const works = folder ?? session?.cwd ?? home;
  const shown = works ? shortFolder(works, home) : t("composer.folderDefault");
  return (
    <Tooltip content={t("composer.folder", { folder: works ?? t("composer.folderDefault") })}>
      <button
        type="button"
        aria-label={t("composer.folder", { folder: shown })}
        onClick={() => void chooseFolder()}
        className="inline-flex h-7 max-w-48 min-w-0 items-center gap-2 rounded-sm border border-line px-2.5 text-sm font-medium text-ink-2 transition-colors hover:bg-sunken hover:text-ink"
      >
        <Folder aria-hidden className="size-3.5 shrink-0" />
        <span className="truncate">{shown}</span>
      </button>
    </Tooltip>
  );
}
