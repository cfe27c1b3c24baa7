/* The first minute: one question, three ways in, what the modes mean. */
import { ClipboardPaste, FileText, FlaskConical, GraduationCap, ListOrdered, Zap } from "lucide-react";
import type { ReactNode } from "react";
import { toast } from "sonner";
import { t } from "@/i18n";
import { useApp, useAppStore } from "@/state/store";
import { Composer } from "./Composer";
import { isPage } from "./PastedPages";

export function Home({ composerModel }: { composerModel?: ReactNode }) {
  const store = useAppStore();
  const choosePage = useApp((state) => state.choosePage);
  const showOverlay = useApp((state) => state.showOverlay);

  const paste = async () => {
    const { focusComposer, session, setDraft, setPasted, pasted } = store.getState();
    const key = session?.id ?? "";
    focusComposer();
    try {
      const text = await navigator.clipboard.readText();
      if (text.trim() === "") toast.info(t("home.clipboardEmpty"));
      else if (isPage(text)) setPasted(key, [...(pasted[key] ?? []), text]);
      else setDraft(key, text);
    } catch {
      // Reading the clipboard may be refused; the box has the focus and takes Ctrl+V.
    }
  };

  return (
    <main className="pane flex min-w-0 flex-1 overflow-auto bg-panel px-6 py-8">
      <div className="m-auto w-full max-w-[680px]">
        <h1 className="mb-4 text-center text-2xl font-semibold tracking-tight">{t("home.title")}</h1>
        <Composer composerModel={composerModel} />
        <div className="mt-[18px] grid gap-3 sm:grid-cols-3">
          <Way icon={<FileText aria-hidden />} title={t("home.page")} onClick={() => void choosePage()}>
            {t("home.pageText")}
          </Way>
          <Way
            icon={<FlaskConical aria-hidden />}
            title={t("home.example")}
            onClick={() => showOverlay({ type: "examples" })}
          >
            {t("home.exampleText")}
          </Way>
          <Way icon={<ClipboardPaste aria-hidden />} title={t("home.paste")} onClick={() => void paste()}>
            {t("home.pasteText")}
          </Way>
        </div>
        <dl className="mt-5 grid gap-3 sm:grid-cols-3">
          <ModeNote icon={<GraduationCap aria-hidden />} name={t("mode.teacher")}>
            {t("mode.about.teacher")}
          </ModeNote>
          <ModeNote icon={<ListOrdered aria-hidden />} name={t("mode.planner")}>
            {t("mode.about.planner")}
          </ModeNote>
          <ModeNote icon={<Zap aria-hidden />} name={t("mode.agentic")}>
            {t("mode.about.agentic")}
          </ModeNote>
        </dl>
      </div>
    </main>
  );
}

type WayProps = { icon: ReactNode; title: string; onClick: () => void; children: ReactNode };

function Way({ icon, title, onClick, children }: WayProps) {
  return (
    <button
      type="button"
      onClick={onClick}
      className="flex flex-col gap-1 rounded-md border border-line bg-raised p-3.5 text-left shadow-1 transition-colors hover:border-line-strong hover:bg-bg"
    >
      <span className="mb-2 text-agentic-ink [&>svg]:size-4">{icon}</span>
      <span className="font-semibold">{title}</span>
      <span className="text-sm text-ink-2">{children}</span>
    </button>
  );
}

function ModeNote({ icon, name, children }: { icon: ReactNode; name: string; children: ReactNode }) {
  return (
    <div className="relative pr-2 pl-[39px]">
      <dt className="text-sm font-semibold text-ink-2">
        <span className="absolute top-0.5 left-3.5 text-ink-3 [&>svg]:size-3.5">{icon}</span>
        {name}
      </dt>
      <dd className="text-sm text-ink-3">{children}</dd>
    </div>
  );
}
