/**
 * The page beside its plan: every block marked by what it became, in shape and word. Clicking a block finds its step, and a
 * step that is pointed at finds its block. Draws text only; nothing of a page is ever loaded or followed.
 */
import { Ban, FilePen, Hand, TriangleAlert, X } from "lucide-react";
import { memo, type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { t } from "@/i18n";
import type { PagePart, PageReading, PageView, Step, StepId } from "@/ipc/bindings";
import { toEngineError, useHost } from "@/ipc/host";
import { IconButton } from "@/shared/Button";
import { cx } from "@/shared/cx";
import { EmptyState } from "@/shared/EmptyState";
import { Spinner } from "@/shared/Spinner";
import { type Mark, type Placed, type Stretch, stretches } from "./marks";

type Props = {
  sessionId: string;
  /** The file's name, or the address. */
  name: string;
  reading: PageReading;
  steps: Step[];
  /** The step that is pointed at, from either side. */
  pointed: StepId | null;
  onPoint: (id: StepId) => void;
  onClose: () => void;
};

export function PagePane({ sessionId, name, reading, steps, pointed, onPoint, onClose }: Props) {
  const { view, trouble } = usePage(sessionId);
  const placed = usePlaced(steps);
  const body = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (pointed === null || view === null) return;
    const block = body.current?.querySelector(`[data-mark="${CSS.escape(pointed)}"]`);
    block?.scrollIntoView({ block: "nearest" });
  }, [pointed, view]);
  return (
    <main aria-label={t("page.label")} className="pane flex min-h-0 min-w-0 flex-1 flex-col bg-panel">
      <header className="flex min-h-12 items-center gap-2 border-b border-line px-5 py-2">
        <h1 className="min-w-0 flex-1 truncate text-md font-semibold text-ink" title={name}>
          {name}
        </h1>
        <IconButton label={t("page.close")} onClick={onClose}>
          <X aria-hidden />
        </IconButton>
      </header>
      {trouble !== null ? (
        <EmptyState icon={<TriangleAlert />} title={t("page.gone")}>
          {trouble}
        </EmptyState>
      ) : view === null ? (
        <p className="flex items-center gap-2 px-5 py-4 text-ink-2">
          <Spinner /> {t("page.waiting")}
        </p>
      ) : (
        <div
          ref={body}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a pane that scrolls has to be reachable with the keyboard.
          tabIndex={0}
          className="min-h-0 flex-1 overflow-y-auto overscroll-contain px-5 py-4 text-md leading-relaxed text-ink -outline-offset-2 select-text"
        >
          <div className="mx-auto grid max-w-[752px] gap-2.5">
            {view.parts.map((part, at) => (
              <Part
                // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one fixed page.
                key={at}
                part={part}
                reading={reading}
                steps={placed}
                pointed={pointed}
                onPoint={onPoint}
              />
            ))}
          </div>
        </div>
      )}
    </main>
  );
}

function usePage(sessionId: string): { view: PageView | null; trouble: string | null } {
  const host = useHost();
  const [view, setView] = useState<PageView | null>(null);
  const [trouble, setTrouble] = useState<string | null>(null);
  useEffect(() => {
    let current = true;
    setView(null);
    setTrouble(null);
    host.pageView(sessionId).then(
      (read) => current && setView(read),
      (thrown: unknown) => current && setTrouble(toEngineError(thrown).message),
    );
    return () => {
      current = false;
    };
  }, [host, sessionId]);
  return { view, trouble };
}

/** The same list while only states change, so that a run does not draw the page anew. */
function usePlaced(steps: Step[]): Placed[] {
  const key = JSON.stringify(steps.map(({ id, title, index }) => ({ id, title, index })));
  return useMemo(() => JSON.parse(key) as Placed[], [key]);
}

type PartProps = {
  part: PagePart;
  reading: PageReading;
  steps: Placed[];
  pointed: StepId | null;
  onPoint: (id: StepId) => void;
};

const INDENT = ["", "ml-5", "ml-10", "ml-14"];

const Part = memo(function Part({ part, reading, steps, pointed, onPoint }: PartProps) {
  const { kind } = part;
  return (
    // Parts out of sight cost nothing: a page may have ten thousand.
    <div
      className={cx(
        "min-w-0 [contain-intrinsic-size:auto_40px] [content-visibility:auto]",
        INDENT[Math.min(part.depth, INDENT.length - 1)],
      )}
    >
      {part.label === null ? null : <p className="mb-1 text-xs font-semibold text-ink-3">{part.label}</p>}
      {kind.type === "heading" ? (
        <Heading level={kind.level}>{part.lines[0]?.text}</Heading>
      ) : (
        stretches(part, reading, steps).map((stretch) => (
          <Marked
            key={stretch.lines[0]?.start}
            stretch={stretch}
            pointed={pointed}
            onPoint={onPoint}
            mark={part.mark}
            code={kind.type !== "prose"}
          />
        ))
      )}
    </div>
  );
});

function Heading({ level, children }: { level: number; children: ReactNode }) {
  // The pane's own heading is the first of all.
  const Tag = level === 1 ? "h2" : level === 2 ? "h3" : "h4";
  return (
    <Tag className={cx("mt-2 font-semibold text-ink", level === 1 ? "text-lg" : "text-md")}>{children}</Tag>
  );
}

type MarkedProps = {
  stretch: Stretch;
  pointed: StepId | null;
  onPoint: (id: StepId) => void;
  /** The number or dot of the list's item. */
  mark: string | null;
  code: boolean;
};

function Marked({ stretch: { mark, lines }, pointed, onPoint, mark: item, code }: MarkedProps) {
  const text = lines.map((line) => line.text).join("\n");
  const step = mark?.type === "step" ? mark : null;
  return (
    <div
      data-mark={step?.stepId}
      className={cx(
        "relative flex items-start gap-3 rounded-xs border-l-2 py-0.5 pl-2.5",
        code && "bg-sunken",
        step === null && "border-transparent",
        step !== null && "border-planner hover:bg-planner-tint",
        mark?.type === "left-out" && "border-dashed border-line-strong",
        step !== null && step.stepId === pointed && "bg-planner-tint outline-2 outline-focus",
      )}
    >
      {code ? (
        <pre className="min-w-0 flex-1 overflow-x-auto py-0.5 font-mono text-sm whitespace-pre-wrap wrap-anywhere text-ink">
          {text}
        </pre>
      ) : (
        <p className="min-w-0 flex-1 wrap-anywhere">
          {item === null ? null : <span className="mr-2 text-ink-3">{item}</span>}
          {text}
        </p>
      )}
      {mark === null ? null : <Chip mark={mark} onPoint={onPoint} />}
    </div>
  );
}

function Chip({ mark, onPoint }: { mark: Mark; onPoint: (id: StepId) => void }) {
  const role = t(`page.role.${mark.role}`);
  if (mark.type === "left-out")
    return (
      <span
        title={mark.why}
        className="mt-1 mr-1.5 inline-flex shrink-0 items-center gap-1 text-xs text-ink-3 [&>svg]:size-3"
      >
        <Ban aria-hidden />
        <span className="sr-only">{t("page.leftOutLabel", { role, why: mark.why })}</span>
        <span aria-hidden>{role}</span>
      </span>
    );
  return (
    <button
      type="button"
      title={mark.why}
      aria-label={t("page.stepLabel", { number: mark.number, role, title: mark.title })}
      onClick={() => onPoint(mark.stepId)}
      className="mt-1 mr-1.5 inline-flex shrink-0 items-center gap-1 rounded-sm text-xs font-medium text-ink-2 after:absolute after:inset-0 after:content-[''] [&>svg]:size-3"
    >
      {mark.role === "file" ? <FilePen aria-hidden /> : mark.role === "manual" ? <Hand aria-hidden /> : null}
      {t("page.step", { number: mark.number })} · {role}
    </button>
  );
}
