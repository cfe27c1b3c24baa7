/* What is to be done with the words: decided by them, a conversation, a plan, a plan that mends itself, one
   command, or a goal that is pursued until it is reached. */
import {
  ChevronDown,
  Flag,
  ListChecks,
  type LucideIcon,
  MessageSquare,
  Terminal,
  WandSparkles,
  Zap,
} from "lucide-react";
import { DropdownMenu } from "radix-ui";
import { useRef } from "react";
import { t } from "@/i18n";
import { cx } from "@/shared/cx";
import { Kbd } from "@/shared/Kbd";
import { type Entry, useApp } from "@/state/store";

const ROUTES: { route: Entry; icon: LucideIcon }[] = [
  { route: "auto", icon: WandSparkles },
  { route: "chat", icon: MessageSquare },
  { route: "plan", icon: ListChecks },
  { route: "solve", icon: Zap },
  { route: "do", icon: Terminal },
  { route: "goal", icon: Flag },
];

/** The keys that choose a route without the menu; the shell listens to them. */
export function routeKeys(route: Entry): string {
  return `Alt+${ROUTES.findIndex((one) => one.route === route) + 1}`;
}

/** `hasModel`: without one only Auto can be meant, which then follows pages. */
export function RouteMenu({ hasModel }: { hasModel: boolean }) {
  const chosen = useApp((store) => store.route);
  const setRoute = useApp((store) => store.setRoute);
  const focusComposer = useApp((store) => store.focusComposer);
  const picked = useRef(false);
  const route = hasModel ? chosen : "auto";
  const Icon = ROUTES.find((one) => one.route === route)?.icon ?? WandSparkles;
  const name = t(`route.${route}`);
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger
        aria-label={t("route.label", { route: name })}
        className="inline-flex h-7 shrink-0 items-center gap-2 rounded-sm border border-line px-2.5 text-sm font-medium text-ink-2 transition-colors hover:bg-sunken hover:text-ink data-[state=open]:bg-sunken"
      >
        <Icon aria-hidden className="size-3.5" />
        {name}
        <ChevronDown aria-hidden className="size-3" />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align="start"
          side="top"
          sideOffset={6}
          collisionPadding={8}
          onCloseAutoFocus={(event) => {
            if (!picked.current) return;
            // A choice is made to write next.
            picked.current = false;
            event.preventDefault();
            focusComposer();
          }}
          className="z-50 w-80 max-w-[calc(100vw-1rem)] rounded-md border border-line bg-raised p-1 shadow-3"
        >
          <DropdownMenu.RadioGroup
            value={route}
            onValueChange={(next) => {
              const found = ROUTES.find((one) => one.route === next);
              if (found) setRoute(found.route);
            }}
          >
            {ROUTES.map(({ route: one, icon: OneIcon }) => (
              <DropdownMenu.RadioItem
                key={one}
                value={one}
                disabled={!hasModel && one !== "auto"}
                onSelect={() => {
                  picked.current = true;
                }}
                className={cx(
                  "flex gap-2.5 rounded-sm px-2 py-1.5 outline-none select-none data-[highlighted]:bg-sunken",
                  "data-[disabled]:text-ink-3 data-[state=checked]:[&_b]:text-agentic-ink",
                )}
              >
                <OneIcon aria-hidden className="mt-[3px] size-3.5 shrink-0 text-ink-3" />
                <span className="min-w-0 flex-1">
                  <b className="block font-semibold">{t(`route.${one}`)}</b>
                  <span className="block text-sm text-ink-2">
                    {!hasModel && one !== "auto" ? t("route.needsModel") : t(`route.about.${one}`)}
                  </span>
                </span>
                <Kbd keys={routeKeys(one)} className="mt-[3px] text-ink-3" />
              </DropdownMenu.RadioItem>
            ))}
          </DropdownMenu.RadioGroup>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
