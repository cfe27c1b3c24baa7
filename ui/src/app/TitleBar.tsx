/* Name, menus, and the way into the palette. */
import { Check, Search } from "lucide-react";
import { Menubar } from "radix-ui";
import { Fragment, memo } from "react";
import { t } from "@/i18n";
import { Kbd } from "@/shared/Kbd";
import { useApp } from "@/state/store";
import type { Action, MenuName } from "./actions";
import { Mark } from "./Mark";

const MENUS: MenuName[] = ["file", "edit", "mode", "view", "help"];

export const TitleBar = memo(function TitleBar({ actions }: { actions: Action[] }) {
  const showOverlay = useApp((store) => store.showOverlay);
  return (
    <header className="flex h-[38px] shrink-0 items-center gap-1 border-b border-line bg-bg pr-3.5 pl-3.5">
      <span className="mr-2 flex items-center gap-2 text-md font-semibold tracking-tight">
        <Mark className="size-4 text-agentic-ink" />
        {t("name")}
      </span>
      <Menubar.Root aria-label={t("menu.label")} className="flex shrink-0">
        {MENUS.map((menu) => (
          <Menubar.Menu key={menu}>
            <Menubar.Trigger className="rounded-sm px-2.5 py-1 text-sm text-ink-2 outline-offset-0 hover:bg-sunken hover:text-ink data-[state=open]:bg-sunken data-[state=open]:text-ink">
              {t(`menu.${menu}`)}
            </Menubar.Trigger>
            <Menubar.Portal>
              <Menubar.Content
                align="start"
                sideOffset={4}
                collisionPadding={8}
                className="z-50 max-h-(--radix-menubar-content-available-height) min-w-60 overflow-auto rounded-md border border-line bg-raised p-1 shadow-3"
              >
                {actions
                  .filter((action) => action.menu === menu)
                  .map((action) => (
                    <Fragment key={action.id}>
                      {action.separated ? <Menubar.Separator className="mx-2 my-1 h-px bg-line" /> : null}
                      <MenuLine action={action} />
                    </Fragment>
                  ))}
              </Menubar.Content>
            </Menubar.Portal>
          </Menubar.Menu>
        ))}
      </Menubar.Root>
      <button
        type="button"
        onClick={() => showOverlay({ type: "palette" })}
        className="ml-auto flex h-[27px] min-w-0 shrink items-center gap-2 rounded-sm border border-line bg-panel pr-1.5 pl-2.5 text-sm text-ink-3 transition-colors hover:border-line-strong hover:text-ink-2"
      >
        <Search aria-hidden className="size-3.5 shrink-0" />
        <span className="truncate max-sm:sr-only">{t("palette.placeholder")}</span>
        <Kbd keys="Mod+K" className="max-sm:hidden" />
      </button>
    </header>
  );
});

const LINE =
  "flex min-h-7 items-center gap-2 py-0.5 rounded-sm pr-2 pl-1.5 text-md text-ink outline-none select-none data-[disabled]:text-ink-3 data-[disabled]:opacity-60 data-[highlighted]:bg-sunken";

function MenuLine({ action }: { action: Action }) {
  const inside = (
    <>
      <span className="grid size-4 shrink-0 place-items-center">
        {action.checked ? <Check aria-hidden className="size-3.5" /> : null}
      </span>
      <span className="flex-1 pr-6 whitespace-nowrap">
        {action.label}
        {action.why ? <span className="block text-xs">{action.why}</span> : null}
      </span>
      {action.keys ? <Kbd keys={action.keys} className="border-transparent text-ink-3" /> : null}
    </>
  );
  if (action.checked === undefined) {
    return (
      <Menubar.Item disabled={!action.enabled} onSelect={action.run} className={LINE}>
        {inside}
      </Menubar.Item>
    );
  }
  return (
    <Menubar.CheckboxItem
      checked={action.checked}
      disabled={!action.enabled}
      onSelect={action.run}
      className={LINE}
    >
      {inside}
    </Menubar.CheckboxItem>
  );
}
