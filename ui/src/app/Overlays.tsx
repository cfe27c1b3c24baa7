/* What floats over the window: one at a time, and over it the help. */
import { ExamplesDialog } from "@/features/examples/ExamplesDialog";
import { TroubleDialog } from "@/features/help/TroubleDialog";
import { MendDialog } from "@/features/page";
import { ReportDialog } from "@/features/report/ReportDialog";
import { DeleteDialog } from "@/features/sessions/DeleteDialog";
import { RenameDialog } from "@/features/sessions/RenameDialog";
import { ExplainDialog, HoverMeaning } from "@/features/teacher";
import { UndoDialog } from "@/features/undo";
import { useApp } from "@/state/store";
import { AboutDialog } from "./AboutDialog";
import type { Action } from "./actions";
import { Palette } from "./Palette";
import { ShortcutsDialog } from "./ShortcutsDialog";

export function Overlays({ actions }: { actions: Action[] }) {
  return (
    <>
      <Overlay actions={actions} />
      <Meanings />
      <Help />
    </>
  );
}

function Meanings() {
  const sessionId = useApp((store) => store.session?.id ?? null);
  return sessionId === null ? null : <HoverMeaning sessionId={sessionId} />;
}

/** Over whatever the error stands in, which is still there afterwards. */
function Help() {
  const help = useApp((store) => store.help);
  const showHelp = useApp((store) => store.showHelp);
  const closeHelp = useApp((store) => store.closeHelp);
  if (!help) return null;
  return <TroubleDialog code={help.code} onClose={closeHelp} onWhole={() => showHelp(null)} />;
}

function Overlay({ actions }: { actions: Action[] }) {
  const overlay = useApp((store) => store.overlay);
  const showOverlay = useApp((store) => store.showOverlay);
  const session = useApp((store) => store.session);
  if (!overlay) return null;
  const close = () => showOverlay(null);
  switch (overlay.type) {
    case "palette":
      return <Palette actions={actions} />;
    case "shortcuts":
      return <ShortcutsDialog actions={actions} onClose={close} />;
    case "about":
      return <AboutDialog onClose={close} />;
    case "report":
      return session ? <ReportDialog session={session} onClose={close} /> : null;
    case "examples":
      return <ExamplesDialog onClose={close} />;
    case "explain":
      return session ? (
        <ExplainDialog sessionId={session.id} command={overlay.command} onClose={close} />
      ) : null;
    case "undo":
      return session ? (
        <UndoDialog session={session} target={overlay.target} title={overlay.title} onClose={close} />
      ) : null;
    case "mend":
      return session ? <MendDialog session={session} onClose={close} /> : null;
    case "rename":
      return <RenameDialog id={overlay.id} title={overlay.title} onClose={close} />;
    case "delete":
      return <DeleteDialog id={overlay.id} title={overlay.title} onClose={close} />;
  }
}
