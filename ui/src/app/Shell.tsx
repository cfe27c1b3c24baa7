/* Joins the features into one window: title bar, sessions, conversation, plan, status bar, and what floats over them. */
import { BookOpen, Maximize2, Minimize2, TriangleAlert } from "lucide-react";
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { Group, Panel, Separator, useDefaultLayout } from "react-resizable-panels";
import { toast } from "sonner";
import { ApprovalLayer } from "@/features/approval";
import { Composer } from "@/features/chat/Composer";
import { Conversation } from "@/features/chat/Conversation";
import { Home } from "@/features/chat/Home";
import { hasConversation } from "@/features/chat/rows";
import { useInterruptKey } from "@/features/chat/useInterruptKey";
import { GoalPanel } from "@/features/goal";
import { GuidePage } from "@/features/guide/GuidePage";
import { ModelButton } from "@/features/models";
import { PagePane } from "@/features/page";
import { PermissionsPage } from "@/features/permissions/PermissionsPage";
import { PlanPanel } from "@/features/plan";
import { SecretLayer } from "@/features/secret";
import { ServicesStrip } from "@/features/services";
import { Sidebar } from "@/features/sessions/Sidebar";
import { SettingsPage } from "@/features/settings/SettingsPage";
import { Explained, TeacherStep } from "@/features/teacher";
import { t } from "@/i18n";
import type { Command, EngineError, Plan as PlanValue, SessionState } from "@/ipc/bindings";
import { useHost } from "@/ipc/host";
import { AboutError } from "@/shared/AboutError";
import { Announcer } from "@/shared/Announcer";
import { Button, IconButton } from "@/shared/Button";
import { cx } from "@/shared/cx";
import { EmptyState } from "@/shared/EmptyState";
import { hasEnded, isAboutGoal } from "@/shared/goal";
import { alternativesIn, candidatesIn, goneAtIn } from "@/state/log";
import { asksForChanges, type Tab, useApp, useAppStore } from "@/state/store";
import { statusOf } from "@/state/summary";
import { useActions } from "./actions";
import { Boundary } from "./Boundary";
import { DropOverlay } from "./DropOverlay";
import { rememberField } from "./editing";
import { Overlays } from "./Overlays";
import { StatusBar } from "./StatusBar";
import { TitleBar } from "./TitleBar";
import { useShortcuts } from "./useShortcuts";

/** Below this the parts take turns behind tabs. In CSS pixels, so that zoom counts. */
const NARROW = "(max-width: 899px)";

export function Shell() {
  const actions = useActions();
  useShortcuts(actions);
  useInterruptKey();
  useFileDrops();
  useEffect(rememberField, []);
  // Not the session itself, which changes with every event: only the parts that show it are drawn anew then.
  const sessionId = useApp((store) => store.session?.id);
  const side = useApp((store) => sideOf(store.session));
  const narrow = useMediaQuery(NARROW);
  const trouble = useApp((store) => store.trouble);
  return (
    <div className="flex h-dvh flex-col">
      <TitleBar actions={actions} />
      {narrow ? <Tabs side={side} /> : null}
      <div className="flex min-h-0 flex-1">
        <Boundary key={sessionId}>
          {trouble ? <Trouble error={trouble} /> : narrow ? <NarrowBody /> : <WideBody />}
        </Boundary>
      </div>
      <StatusBar />
      <Overlays actions={actions} />
      <Approvals />
      <Secrets />
      <DropOverlay />
      <Status />
    </div>
  );
}

/** What stands beside the conversation: the goal that is pursued, or the newer one of plan and goal. */
type Side = "plan" | "goal" | null;

function sideOf(session: SessionState | null): Side {
  if (!session) return null;
  const { plan, goal } = session;
  if (goal && (!hasEnded(goal) || isAboutGoal(session))) return "goal";
  return plan ? "plan" : null;
}

/** The engine could not open the record: said until it can, since nothing else works. */
function Trouble({ error }: { error: EngineError }) {
  const load = useApp((store) => store.load);
  return (
    <main className="pane min-w-0 flex-1 bg-panel">
      <h1 className="sr-only">Planwright</h1>
      <div role="alert" className="h-full">
        <EmptyState
          icon={<TriangleAlert />}
          title={t("trouble.title")}
          action={
            <div className="flex flex-wrap items-center justify-center gap-2">
              <Button variant="primary" onClick={() => void load()}>
                {t("trouble.retry")}
              </Button>
              <AboutError code={error.code} />
            </div>
          }
        >
          {error.message}
        </EmptyState>
      </div>
    </main>
  );
}

function Approvals() {
  const session = useApp((store) => store.session);
  const waiting = useApp((store) => store.waiting);
  const command = useApp((store) => store.command);
  // Anew with each session: what was sent to begin one is no typing in it.
  return <ApprovalLayer key={session?.id ?? ""} session={session} waiting={waiting} onCommand={command} />;
}

function Secrets() {
  const session = useApp((store) => store.session);
  const waiting = useApp((store) => store.waiting);
  return <SecretLayer key={session?.id ?? ""} session={session} waiting={waiting} />;
}

/** How the session stands, for a screen reader. */
function Status() {
  const session = useApp((store) => store.session);
  return (
    <Announcer message={session ? `${session.title}: ${t(`sessions.status.${statusOf(session)}`)}` : ""} />
  );
}

function WideBody() {
  const side = useApp((store) => (store.page === "session" ? sideOf(store.session) : null));
  const planWide = useApp((store) => store.planWide);
  const layout = useDefaultLayout({ id: "conversation-plan" });
  return (
    <>
      <Sidebar className="w-[212px] shrink-0 border-r border-line" />
      {side === null ? (
        <Main />
      ) : planWide ? (
        <SidePanel side={side} wide />
      ) : (
        <Group {...layout} orientation="horizontal" className="min-w-0 flex-1">
          <Panel id="chat" defaultSize="46%" minSize={320} className="flex">
            <Beside side={side} />
          </Panel>
          <Separator
            aria-label={t(side === "goal" ? "layout.resizeGoal" : "layout.resize")}
            className="w-px bg-line transition-colors outline-offset-0 hover:bg-agentic data-[separator=active]:bg-agentic"
          />
          <Panel id="plan" minSize={400} className="flex">
            <SidePanel side={side} />
          </Panel>
        </Group>
      )}
    </>
  );
}

function NarrowBody() {
  const tab = useApp((store) => store.tab);
  const side = useApp((store) => sideOf(store.session));
  if (tab === "sessions") return <Sidebar className="min-w-0 flex-1" />;
  if (tab === "plan" && side) return <SidePanel side={side} />;
  return <Beside side={side} />;
}

/** The conversation, or the page that the plan is from. */
function Beside({ side }: { side: Side }) {
  const session = useApp((store) => store.session);
  const pageBeside = useApp((store) => store.pageBeside);
  const page = useApp((store) => store.page);
  const pointed = useApp((store) => store.pointed);
  const point = useApp((store) => store.point);
  const showPage = useApp((store) => store.showPage);
  const plan = session?.plan;
  if (!pageBeside || page !== "session" || side !== "plan" || !session || !plan?.page) return <Main />;
  return (
    <PagePane
      sessionId={session.id}
      name={pageName(plan)}
      reading={plan.page}
      steps={plan.steps}
      pointed={pointed}
      onPoint={point}
      onClose={() => showPage(false)}
    />
  );
}

function pageName({ origin, title }: PlanValue): string {
  return origin.type === "user" ? title : origin.name;
}

function PageButton() {
  const has = useApp((store) => Boolean(store.session?.plan?.page));
  const beside = useApp((store) => store.pageBeside);
  const showPage = useApp((store) => store.showPage);
  if (!has) return null;
  return (
    <IconButton label={t("page.show")} aria-pressed={beside} onClick={() => showPage(!beside)}>
      <BookOpen aria-hidden />
    </IconButton>
  );
}

function SidePanel({ side, wide = false }: { side: "plan" | "goal"; wide?: boolean }) {
  return side === "goal" ? <Goal wide={wide} /> : <Plan wide={wide} />;
}

function Goal({ wide }: { wide: boolean }) {
  const session = useApp((store) => store.session);
  const settings = useApp((store) => store.settings);
  const todoFocus = useApp((store) => store.todoFocus);
  const pausing = useApp((store) => store.pausing);
  const panel = usePanelFocus();
  const onCommand = useOnCommand();
  if (!session?.goal) return null;
  return (
    <div
      ref={panel}
      tabIndex={-1}
      className="pane flex min-h-0 min-w-0 flex-1 flex-col bg-bg outline-offset-[-3px]"
    >
      <GoalPanel
        key={session.goal.id}
        session={session}
        goal={session.goal}
        pausing={pausing}
        settings={settings}
        onCommand={onCommand}
        wantsField={todoFocus}
        services={<ServicesStrip session={session} onCommand={onCommand} />}
        headerExtra={<WidthButton wide={wide} />}
      />
    </div>
  );
}

/** Gives a side panel the focus when that is asked for. */
function usePanelFocus() {
  const narrow = useMediaQuery(NARROW);
  const panel = useRef<HTMLDivElement>(null);
  const planFocus = useApp((store) => store.planFocus);
  const focused = useRef(narrow ? 0 : planFocus);
  useEffect(() => {
    if (planFocus > focused.current) panel.current?.focus();
    focused.current = planFocus;
  }, [planFocus]);
  return panel;
}

function WidthButton({ wide }: { wide: boolean }) {
  const narrow = useMediaQuery(NARROW);
  const setPlanWide = useApp((store) => store.setPlanWide);
  if (narrow) return null;
  return (
    <IconButton label={t(wide ? "layout.narrow" : "layout.wide")} onClick={() => setPlanWide(!wide)}>
      {wide ? <Minimize2 aria-hidden /> : <Maximize2 aria-hidden />}
    </IconButton>
  );
}

/** Comes with its charts only when it is looked at. */
const MetricsPage = lazy(async () => ({
  default: (await import("@/features/metrics/MetricsPage")).MetricsPage,
}));

function Main() {
  const page = useApp((store) => store.page);
  const session = useApp((store) => store.session);
  if (page === "settings") return <SettingsPage />;
  if (page === "permissions") return <PermissionsPage />;
  if (page === "guide") return <GuidePage />;
  if (page === "metrics")
    return (
      <Suspense>
        <MetricsPage />
      </Suspense>
    );
  if (!session || !(session.plan || session.goal || hasConversation(session)))
    return <Home composerModel={<ModelButton />} />;
  return (
    <main className="pane flex min-w-0 flex-1 flex-col bg-panel">
      <Conversation
        key={session.id}
        session={session}
        renderExplained={(command) => <Explained sessionId={session.id} command={command} />}
      />
      <div className="shrink-0 px-4 pb-4">
        <Composer className="mx-auto max-w-[752px]" composerModel={<ModelButton />} />
      </div>
    </main>
  );
}

function Plan({ wide = false }: { wide?: boolean }) {
  const session = useApp((store) => store.session);
  const compareWith = useApp((store) => store.compareWith);
  const compare = useApp((store) => store.compare);
  const focusComposer = useApp((store) => store.focusComposer);
  const showOverlay = useApp((store) => store.showOverlay);
  const undo = useApp((store) => store.undo);
  const log = useApp((store) => store.log);
  const careful = useApp(asksForChanges);
  const narrow = useMediaQuery(NARROW);
  const plan = usePanelFocus();
  const pausing = useApp((store) => store.pausing);
  const pageBeside = useApp((store) => store.pageBeside);
  const pointed = useApp((store) => store.pointed);
  const point = useApp((store) => store.point);
  const onCommand = useOnCommand();
  if (!session?.plan) return null;
  return (
    <div
      ref={plan}
      tabIndex={-1}
      className="pane flex min-h-0 min-w-0 flex-1 flex-col bg-bg outline-offset-[-3px]"
    >
      <PlanPanel
        session={session}
        pausing={pausing}
        onCommand={onCommand}
        compareWith={compareWith}
        onCompare={compare}
        onGuidance={focusComposer}
        onExplain={(command) => showOverlay({ type: "explain", command })}
        // Beside the conversation its ending card has the button already.
        onReport={wide || narrow ? () => showOverlay({ type: "report" }) : undefined}
        onUndo={undo}
        renderTeacher={(slot) => <TeacherStep {...slot} inputs={session.plan?.inputs} cwd={session.cwd} />}
        careful={careful}
        pointed={pageBeside ? pointed : null}
        onPoint={point}
        onMend={() => showOverlay({ type: "mend" })}
        alternatives={alternativesIn(log)}
        candidates={candidatesIn(log)}
        goneAt={goneAtIn(log)}
        services={<ServicesStrip session={session} onCommand={onCommand} />}
        headerExtra={
          <>
            <PageButton />
            <WidthButton wide={wide} />
          </>
        }
      />
    </div>
  );
}

function Tabs({ side }: { side: Side }) {
  const tab = useApp((store) => store.tab);
  const setTab = useApp((store) => store.setTab);
  const tabs: Tab[] = side ? ["sessions", "chat", "plan"] : ["sessions", "chat"];
  return (
    <nav aria-label={t("tabs.label")} className="flex shrink-0 gap-1 border-b border-line bg-bg px-3 py-1">
      {tabs.map((one) => (
        <button
          key={one}
          type="button"
          aria-current={tab === one ? "page" : undefined}
          onClick={() => setTab(one)}
          className={cx(
            "rounded-sm px-3 py-1 text-sm font-medium text-ink-2 hover:text-ink",
            tab === one && "bg-sunken text-ink",
          )}
        >
          {t(one === "plan" && side === "goal" ? "tabs.goal" : `tabs.${one}`)}
        </button>
      ))}
    </nav>
  );
}

function useOnCommand(): (command: Command) => Promise<void> {
  return useApp((store) => store.command);
}

function useMediaQuery(query: string): boolean {
  const [matching, setMatching] = useState(() => window.matchMedia(query).matches);
  useEffect(() => {
    const list = window.matchMedia(query);
    const update = () => setMatching(list.matches);
    update();
    list.addEventListener("change", update);
    return () => list.removeEventListener("change", update);
  }, [query]);
  return matching;
}

function useFileDrops(): void {
  const host = useHost();
  const store = useAppStore();
  useEffect(
    () =>
      host.onDrop({
        over: (dropping) => store.setState({ dropping }),
        drop: ([path, ...others]) => {
          store.setState({ dropping: false });
          if (others.length > 0) toast.info(t("drop.onlyFirst"));
          if (path) void store.getState().importFile(path);
        },
      }),
    [host, store],
  );
}
