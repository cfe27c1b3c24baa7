/* The sessions: new, find, open, rename, delete; and the way to permissions and settings. */
import { Ellipsis, Pencil, Plus, Settings, ShieldCheck, Trash2 } from "lucide-react";
import { memo, type ReactNode, useState } from "react";
import { t } from "@/i18n";
import type { SessionStatus, SessionSummary } from "@/ipc/bindings";
import { Button } from "@/shared/Button";
import { cx } from "@/shared/cx";
import { Menu } from "@/shared/Menu";
import { SearchField } from "@/shared/SearchField";
import { useApp } from "@/state/store";
import { groupByDay, rests, standing } from "./group";
import { useSessionsThatSay } from "./useSessionsThatSay";

/** The list is searched only when it is long enough to need it. */
const SEARCH_FROM = 6;

export const Sidebar = memo(function Sidebar({ className }: { className?: string }) {
  const sessions = useApp((store) => store.sessions);
  const page = useApp((store) => store.page);
  const show = useApp((store) => store.show);
  const goHome = useApp((store) => store.goHome);
  const [query, setQuery] = useState("");
  const wanted = query.trim().toLowerCase();
  const said = useSessionsThatSay(wanted);
  const found = sessions.filter(
    (session) => session.title.toLowerCase().includes(wanted) || said.has(session.id),
  );
  return (
    <nav aria-label={t("sessions.label")} className={cx("pane flex flex-col bg-bg", className)}>
      <div className="grid grid-cols-1 gap-2 p-2.5 pb-0">
        <Button icon={<Plus aria-hidden />} onClick={goHome} className="h-[33px] w-full">
          {t("action.newSession")}
        </Button>
        {sessions.length >= SEARCH_FROM ? (
          <SearchField label={t("sessions.search")} value={query} onChange={setQuery} size="sm" />
        ) : null}
      </div>
      <div className="min-h-0 flex-1 overflow-auto px-2.5 pb-3">
        {found.length === 0 ? (
          <p className="px-2 py-4 text-sm text-ink-3">
            {t(sessions.length === 0 ? "sessions.none" : "sessions.noneFound")}
          </p>
        ) : (
          groupByDay(found, new Date()).map((group) => (
            <section key={group.day} aria-label={t(`sessions.${group.day}`)} className="pt-4">
              <h2 className="px-2 pb-1.5 text-xs font-medium text-ink-3">{t(`sessions.${group.day}`)}</h2>
              <ul className="grid gap-0.5">
                {group.sessions.map((session) => (
                  <SessionRow key={session.id} session={session} />
                ))}
              </ul>
            </section>
          ))
        )}
      </div>
      <div className="grid gap-0.5 p-2.5">
        <PageLink
          icon={<ShieldCheck aria-hidden />}
          active={page === "permissions"}
          onClick={() => show("permissions")}
        >
          {t("action.permissions")}
        </PageLink>
        <PageLink
          icon={<Settings aria-hidden />}
          active={page === "settings"}
          onClick={() => show("settings")}
        >
          {t("action.settings")}
        </PageLink>
      </div>
    </nav>
  );
});

const DOTS: Record<SessionStatus, string> = {
  empty: "bg-line-strong",
  draft: "border border-ink-3",
  ready: "border border-ink-3",
  running: "bg-agentic ring-2 ring-agentic/30",
  "waiting-for-you": "bg-agentic ring-2 ring-agentic/30",
  interrupted: "bg-caution",
  paused: "bg-caution",
  completed: "bg-safe",
  failed: "bg-danger",
  cancelled: "bg-ink-3",
  damaged: "bg-danger",
};

const SessionRow = memo(function SessionRow({ session }: { session: SessionSummary }) {
  const shown = useApp((store) => store.page === "session" && store.session?.id === session.id);
  const open = useApp((store) => store.open);
  const showOverlay = useApp((store) => store.showOverlay);
  const { id, title } = session;
  return (
    <li className={cx("group relative rounded-sm transition-colors hover:bg-sunken", shown && "bg-sunken")}>
      <button
        type="button"
        aria-current={shown ? "true" : undefined}
        title={session.damage ?? title}
        onClick={() => void open(id)}
        className="grid w-full grid-cols-[auto_1fr] gap-x-2.5 rounded-sm py-1.5 pr-2 pl-2 text-left outline-offset-0 group-focus-within:pr-7 group-hover:pr-7"
      >
        <span
          aria-hidden
          className={cx("mt-[6px] size-2 rounded-full", DOTS[rests(session) ? "empty" : session.status])}
        />
        <span className="truncate font-medium">{title}</span>
        <span className={cx("col-start-2 truncate text-xs", session.damage ? "text-danger" : "text-ink-3")}>
          {standing(session)}
        </span>
      </button>
      <Menu
        align="end"
        trigger={
          <button
            type="button"
            aria-label={t("sessions.more", { title })}
            className="absolute top-2 right-1 grid size-6 place-items-center rounded-sm text-ink-3 opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 hover:text-ink data-[state=open]:opacity-100"
          >
            <Ellipsis aria-hidden className="size-3.5" />
          </button>
        }
        items={() => [
          {
            id: "rename",
            label: t("sessions.rename"),
            icon: <Pencil aria-hidden />,
            onSelect: () => showOverlay({ type: "rename", id, title }),
          },
          {
            id: "delete",
            label: t("sessions.delete"),
            icon: <Trash2 aria-hidden />,
            danger: true,
            onSelect: () => showOverlay({ type: "delete", id, title }),
          },
        ]}
      />
    </li>
  );
});

type PageLinkProps = { icon: ReactNode; active: boolean; onClick: () => void; children: ReactNode };

function PageLink({ icon, active, onClick, children }: PageLinkProps) {
  return (
    <button
      type="button"
      aria-current={active ? "page" : undefined}
      onClick={onClick}
      className={cx(
        "flex h-8 items-center gap-2.5 rounded-sm px-2 text-md text-ink-2 transition-colors hover:bg-sunken hover:text-ink [&>svg]:size-3.5",
        active && "bg-sunken text-ink",
      )}
    >
      {icon}
      {children}
    </button>
  );
}
