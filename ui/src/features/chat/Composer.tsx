/* Where instructions go in: pasted or typed pages become plans; when a plan is stuck the words go to whoever mends it. With no
   model, text without a command is answered honestly and kept. */
import { ArrowUp, Folder, Paperclip } from "lucide-react";
import { useEffect, useId, useRef, useState } from "react";
import { toast } from "sonner";
import { t } from "@/i18n";
import type { SessionState } from "@/ipc/bindings";
import { toEngineError, useHost } from "@/ipc/host";
import { IconButton } from "@/shared/Button";
import { cx } from "@/shared/cx";
import { Spinner } from "@/shared/Spinner";
import { Tooltip } from "@/shared/Tooltip";
import { useApp, useAppStore } from "@/state/store";

/** Whether words would reach somebody: the run is stuck or being mended. */
export function takesGuidance(session: SessionState | null): boolean {
  const state = session?.plan?.state.type;
  return state === "stuck" || state === "recovering";
}

/** A folder as people write it: the home folder is "~". */
export function shortFolder(folder: string, home: string | undefined): string {
  if (!home || (folder !== home && !folder.startsWith(`${home}/`))) return folder;
  return `~${folder.slice(home.length)}`;
}

export function Composer({ className }: { className?: string }) {
  const host = useHost();
  const store = useAppStore();
  const session = useApp((state) => state.session);
  const model = useApp((state) => state.info?.model);
  const key = session?.id ?? "";
  const draft = useApp((state) => state.drafts[key] ?? "");
  const wantsFocus = useApp((state) => state.composerFocus);
  const choosePage = useApp((state) => state.choosePage);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const box = useRef<HTMLTextAreaElement>(null);
  const problemId = useId();
  const guiding = takesGuidance(session);

  useEffect(() => {
    if (wantsFocus > 0) box.current?.focus();
  }, [wantsFocus]);

  const write = (text: string) => {
    setProblem(null);
    store.getState().setDraft(key, text);
  };

  const send = async () => {
    const text = draft.trim();
    if (text === "" || busy) return;
    setBusy(true);
    setProblem(null);
    try {
      if (guiding && session) {
        await host.submit(session.id, { type: "guide", text });
        toast.success(t("composer.guided"));
      } else {
        const cwd = store.getState().folder ?? session?.cwd;
        const sessionId = session && !session.plan ? session.id : undefined;
        const made = await host.importText({ name: t("composer.pasted"), text: draft, cwd, sessionId });
        store.getState().adopt(made);
      }
      store.getState().setDraft(key, "");
    } catch (thrown) {
      const error = toEngineError(thrown);
      setProblem(error.code === "no-commands" ? t("composer.noCommands") : error.message);
    } finally {
      setBusy(false);
    }
  };

  const placeholder = guiding
    ? t("composer.guide")
    : session?.plan
      ? t("composer.session")
      : t("composer.home");
  return (
    <form
      className={cx("shrink-0", className)}
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      {problem ? (
        <p
          id={problemId}
          role="alert"
          className="mb-2 rounded-md border border-line bg-caution-tint px-3 py-2 text-ink"
        >
          {problem}
        </p>
      ) : null}
      <div className="rounded-lg border border-line-strong bg-raised shadow-1 transition-colors focus-within:border-ink-3">
        <textarea
          ref={box}
          rows={1}
          value={draft}
          aria-label={t("composer.label")}
          aria-describedby={problem ? problemId : undefined}
          placeholder={placeholder}
          onChange={(event) => write(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
            event.preventDefault();
            void send();
          }}
          className="block field-sizing-content max-h-60 min-h-12 w-full resize-none bg-transparent px-4 pt-3.5 pb-1 text-md text-ink outline-none placeholder:text-ink-3"
        />
        <div className="flex items-center gap-1 px-3 pb-3">
          <FolderButton />
          <IconButton label={t("composer.attach")} onClick={() => void choosePage()}>
            <Paperclip aria-hidden />
          </IconButton>
          <span className="ml-auto truncate pr-2 text-sm text-ink-3">{model ?? t("composer.model")}</span>
          <button
            type="submit"
            aria-label={t(guiding ? "composer.sendGuide" : "composer.send")}
            disabled={draft.trim() === "" || busy}
            className="grid size-7 shrink-0 place-items-center rounded-sm bg-ink text-ink-inverse transition-opacity disabled:opacity-35"
          >
            {busy ? <Spinner /> : <ArrowUp aria-hidden className="size-4" />}
          </button>
        </div>
      </div>
    </form>
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
        className="inline-flex h-7 max-w-48 items-center gap-2 rounded-sm border border-line px-2.5 text-sm font-medium text-ink-2 transition-colors hover:bg-sunken hover:text-ink"
      >
        <Folder aria-hidden className="size-3.5 shrink-0" />
        <span className="truncate">{shown}</span>
      </button>
    </Tooltip>
  );
}
