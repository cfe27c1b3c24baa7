/* Shows what an undo would do before it is done: every file, what becomes of it, and what stands against it. Nothing that
   somebody changed since is touched unless it is chosen here. What came of it is told by the store. */
import { Anchor, CircleSlash, RefreshCw, TriangleAlert, Undo2 } from "lucide-react";
import { useState } from "react";
import { t } from "@/i18n";
import type { SessionState, StepId, UndoFile, UndoPreview, UndoTarget } from "@/ipc/bindings";
import { toEngineError, useHost } from "@/ipc/host";
import { AboutError } from "@/shared/AboutError";
import { Button } from "@/shared/Button";
import { Dialog } from "@/shared/Dialog";
import { EmptyState } from "@/shared/EmptyState";
import { Spinner } from "@/shared/Spinner";
import { stepNumbers } from "@/shared/steps";
import { Conflicts } from "./Conflicts";
import { FileGroups } from "./FileGroups";
import { FileName } from "./FileName";
import { usePreview } from "./usePreview";

type Props = {
  session: SessionState;
  target: UndoTarget;
  /** What a call of the conversation did. */
  title?: string | undefined;
  onClose: () => void;
};

export function UndoDialog({ session, target, title, onClose }: Props) {
  const host = useHost();
  const { look, again } = usePreview(session.id, target);
  const [overwrite, setOverwrite] = useState<ReadonlySet<string>>(new Set());
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);

  const preview = look.type === "seen" ? look.preview : null;
  const against = preview?.files.filter((file) => file.conflict !== null) ?? [];
  const conflicts = against.filter((file) => !file.follows);
  const stays = against.filter((file) => file.follows);
  const chosen = conflicts.filter((file) => overwrite.has(file.path)).map((file) => file.path);
  const free = preview ? preview.files.length - against.length + preview.more : 0;
  const count = free + chosen.length;
  const empty = preview !== null && preview.files.length === 0;

  const apply = async () => {
    if (!preview) return;
    setBusy(true);
    setError(null);
    try {
      // Where what is in a folder goes, the folder goes with it if nothing else stays.
      const following = chosen.length > 0 ? stays.map((file) => file.path) : [];
      const all = [...chosen, ...following];
      await host.submit(session.id, { type: "undo", target, token: preview.token, overwrite: all });
      onClose();
    } catch (thrown) {
      // When the files are no longer as they were shown, seeing them as they are says more than the refusal.
      if (!(await again())) setError(toEngineError(thrown).message);
      setBusy(false);
    }
  };

  return (
    <Dialog
      open
      onOpenChange={onClose}
      size="md"
      title={titleOf(target, session, title)}
      description={aboutIn(target, session)}
      footer={
        empty || look.type === "failed" ? (
          <Button onClick={onClose}>{t("undo.close")}</Button>
        ) : (
          <>
            <p className="min-w-48 flex-1 text-sm text-ink-3">{t("undo.trash")}</p>
            <Button onClick={onClose}>{t("undo.cancel")}</Button>
            <Button
              variant="primary"
              disabled={busy || count === 0}
              icon={busy || look.type === "looking" ? <Spinner /> : <Undo2 aria-hidden />}
              onClick={() => void apply()}
            >
              {applyInWords(busy, look.type === "looking", count)}
            </Button>
          </>
        )
      }
    >
      <div className="grid gap-4" aria-busy={busy || look.type === "looking"}>
        {look.type === "looking" ? (
          <p role="status" className="flex min-h-24 items-center justify-center gap-2 text-ink-3">
            <Spinner /> {t("undo.looking")}
          </p>
        ) : look.type === "failed" ? (
          <div role="alert" className="min-h-24">
            <EmptyState
              icon={<TriangleAlert />}
              title={look.why.message}
              action={
                <div className="flex flex-wrap items-center justify-center gap-2">
                  <Button size="sm" icon={<RefreshCw aria-hidden />} onClick={() => void again()}>
                    {t("undo.again")}
                  </Button>
                  <AboutError code={look.why.code} />
                </div>
              }
            />
          </div>
        ) : (
          <>
            {look.moved || error ? (
              <Notice words={error ?? t("undo.moved")} bad={error !== null} onAgain={() => void again()} />
            ) : null}
            {empty ? (
              <EmptyState icon={<Undo2 />} title={t("undo.nothing")}>
                {look.preview.gaps.length > 0 ? null : t("undo.nothingText")}
              </EmptyState>
            ) : null}
            <Conflicts
              files={conflicts}
              root={session.cwd}
              overwrite={overwrite}
              disabled={busy}
              onChange={setOverwrite}
            />
            <FileGroups
              files={look.preview.files.filter((file) => file.conflict === null)}
              more={look.preview.more}
              root={session.cwd}
            />
            <Stays files={stays} root={session.cwd} />
            <Gaps preview={look.preview} session={session} />
          </>
        )}
      </div>
    </Dialog>
  );
}

function applyInWords(busy: boolean, looking: boolean, count: number): string {
  if (busy) return t("undo.applying");
  if (looking) return t("undo.outlook.label");
  return count === 0 ? t("undo.choose") : t("undo.apply", { count });
}

function Notice({ words, bad, onAgain }: { words: string; bad: boolean; onAgain: () => void }) {
  return (
    <div
      role={bad ? "alert" : "status"}
      className="flex items-center gap-2.5 rounded-md border border-line bg-caution-tint px-3 py-1.5 text-sm text-ink"
    >
      <RefreshCw aria-hidden className="size-3.5 shrink-0 text-caution" />
      <span className="min-w-0 flex-1 wrap-anywhere">{words}</span>
      <Button size="sm" variant="ghost" onClick={onAgain}>
        {t("undo.again")}
      </Button>
    </div>
  );
}

/** Folders that something else keeps, and what has no folder to go to. */
function Stays({ files, root }: { files: UndoFile[]; root: string }) {
  if (files.length === 0) return null;
  return (
    <section aria-label={t("undo.stays")} className="grid gap-1">
      <h3 className="flex items-center gap-2 text-sm font-semibold text-ink">
        <Anchor aria-hidden className="size-3.5 text-ink-3" />
        {t("undo.stays")}
      </h3>
      <ul className="grid gap-0.5 pl-[22px]">
        {files.map((file) => (
          <li key={file.path} className="flex flex-wrap items-baseline gap-x-2.5">
            <FileName path={file.path} root={root} />
            <span className="text-sm text-ink-2">{file.conflict}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** What of the steps is done for good, by step. */
function Gaps({ preview, session }: { preview: UndoPreview; session: SessionState }) {
  if (preview.gaps.length === 0) return null;
  const bySteps = new Map<StepId, string[]>();
  for (const { stepId, why } of preview.gaps) {
    bySteps.set(stepId, [...(bySteps.get(stepId) ?? []), why]);
  }
  return (
    <section aria-label={t("undo.gaps")} className="grid gap-1.5">
      <h3 className="flex items-center gap-2 text-sm font-semibold text-ink">
        <CircleSlash aria-hidden className="size-3.5 text-ink-3" />
        {t("undo.gaps")}
      </h3>
      <ul className="grid gap-1 pl-[22px] text-sm text-ink-2">
        {[...bySteps].map(([id, whys]) => (
          <li key={id} className="wrap-anywhere">
            <span className="text-ink">{stepName(id, session)}</span> {[...new Set(whys)].join("; ")}
          </li>
        ))}
      </ul>
    </section>
  );
}

function stepName(id: StepId, { plan }: SessionState): string {
  const step = plan?.steps.find((one) => one.id === id);
  if (!plan || !step) return "";
  const number = stepNumbers(plan).get(id);
  return t("undo.gapOf", { step: number === undefined ? step.title : `${number} · ${step.title}` });
}

function aboutIn(target: UndoTarget, { plan }: SessionState): string {
  if (target.type === "plan") return t("undo.about.run");
  const call = target.type === "step" && !plan?.steps.some((step) => step.id === target.stepId);
  return t(`undo.about.${call ? "call" : target.type}`);
}

function titleOf(target: UndoTarget, session: SessionState, call: string | undefined): string {
  const title = (id: StepId) => session.plan?.steps.find((step) => step.id === id)?.title;
  switch (target.type) {
    case "step": {
      const named = title(target.stepId) ?? call;
      return named === undefined ? t("undo.thisCall") : t("undo.title.step", { title: named });
    }
    case "since":
      return t("undo.title.since", { title: title(target.stepId) ?? "" });
    case "run":
    case "plan":
      return t("undo.title.run");
    case "turn":
      return t("undo.title.turn");
    case "revision":
      return t("undo.title.revision", { revision: target.revision });
    case "undo":
      return t("undo.title.undo");
  }
}
