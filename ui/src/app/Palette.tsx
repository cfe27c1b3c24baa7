/* Every action and every session, found by typing. */
import { Command } from "cmdk";
import { t } from "@/i18n";
import { Kbd } from "@/shared/Kbd";
import { useApp } from "@/state/store";
import type { Action } from "./actions";

/** The palette itself, and what acts on a selection that the palette takes away. */
const MENU_ONLY = new Set(["palette", "cut", "copy", "select-all"]);

const LINE =
  "flex h-8 items-center gap-3 rounded-sm px-2.5 text-md data-[disabled=true]:text-ink-3 data-[disabled=true]:opacity-60 data-[selected=true]:bg-sunken";

export function Palette({ actions }: { actions: Action[] }) {
  const sessions = useApp((store) => store.sessions);
  const open = useApp((store) => store.open);
  const showOverlay = useApp((store) => store.showOverlay);
  const pick = (run: () => void) => () => {
    showOverlay(null);
    run();
  };
  return (
    <Command.Dialog
      open
      onOpenChange={(stays) => !stays && showOverlay(null)}
      label={t("palette.label")}
      loop
      overlayClassName="fixed inset-0 z-40 bg-scrim"
      contentClassName="fixed top-[14vh] left-1/2 z-40 w-[36rem] max-w-[calc(100vw-2rem)] -translate-x-1/2 overflow-hidden rounded-lg border border-line bg-raised shadow-3"
    >
      <Command.Input
        placeholder={t("palette.placeholder")}
        className="h-12 w-full border-b border-line bg-transparent px-4 text-lg text-ink outline-none placeholder:text-ink-3"
      />
      <Command.List className="max-h-[52vh] overflow-auto p-1.5 [&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:font-medium [&_[cmdk-group-heading]]:text-ink-3">
        <Command.Empty className="p-4 text-center text-ink-2">{t("palette.none")}</Command.Empty>
        <Command.Group heading={t("palette.actions")}>
          {actions
            .filter(({ id }) => !MENU_ONLY.has(id))
            .map((action) => (
              <Command.Item
                key={action.id}
                value={`${t(`menu.${action.menu}`)} ${action.label}`}
                disabled={!action.enabled}
                onSelect={pick(action.run)}
                className={LINE}
              >
                <span className="w-10 shrink-0 text-sm text-ink-3">{t(`menu.${action.menu}`)}</span>
                <span className="min-w-0 flex-1 truncate">{action.label}</span>
                {action.why ? <span className="min-w-0 truncate text-sm">{action.why}</span> : null}
                {action.keys ? <Kbd keys={action.keys} className="text-ink-3" /> : null}
              </Command.Item>
            ))}
        </Command.Group>
        {sessions.length > 0 ? (
          <Command.Group heading={t("palette.sessions")}>
            {sessions.map((session) => (
              <Command.Item
                key={session.id}
                value={`${session.title} ${session.id}`}
                onSelect={pick(() => void open(session.id))}
                className={LINE}
              >
                <span className="min-w-0 flex-1 truncate">{session.title}</span>
                <span className="text-sm text-ink-3">{t(`sessions.status.${session.status}`)}</span>
              </Command.Item>
            ))}
          </Command.Group>
        ) : null}
      </Command.List>
    </Command.Dialog>
  );
}
