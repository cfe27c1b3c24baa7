/* What is wanted, where it stands, how much of what it may use is used, and the controls that are always there. */
import { Pause, Play, Square } from "lucide-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { t } from "@/i18n";
import type { Command, GoalState } from "@/ipc/bindings";
import { Button } from "@/shared/Button";
import { cx } from "@/shared/cx";
import { hasEnded, isUnderWay, standingOf } from "@/shared/goal";
import { Pill } from "@/shared/Pill";
import { Spinner } from "@/shared/Spinner";

type Props = {
  goal: GoalState;
  pausing: boolean;
  onCommand: (command: Command) => Promise<void>;
  extra: ReactNode;
};

export function GoalHeader({ goal, pausing, onCommand, extra }: Props) {
  const { word, tone } = standingOf(goal);
  return (
    <header className="grid gap-2 px-5 pt-4 pb-3">
      <div className="flex items-start gap-2.5">
        <Wanted text={goal.request.goal} />
        {extra}
      </div>
      <div className="flex min-h-[26px] flex-wrap items-center gap-2">
        <Pill tone={tone}>
          {goal.phase.type === "working" ? <Spinner className="size-2.5" /> : null}
          {word}
        </Pill>
        <Controls goal={goal} pausing={pausing} onCommand={onCommand} />
      </div>
    </header>
  );
}

/** A long goal is cut to three lines until it is wanted whole. */
function Wanted({ text }: { text: string }) {
  const [open, setOpen] = useState(false);
  const [long, setLong] = useState(false);
  const words = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    const { current } = words;
    if (!current || open) return;
    const observer = new ResizeObserver(() => setLong(current.scrollHeight > current.clientHeight + 1));
    observer.observe(current);
    return () => observer.disconnect();
  }, [open]);
  return (
    <div className="min-w-0 flex-1">
      <h2
        ref={words}
        className={cx(
          "text-lg leading-snug font-semibold wrap-anywhere whitespace-pre-wrap text-ink",
          !open && "line-clamp-3",
        )}
      >
        {text}
      </h2>
      {long || open ? (
        <button
          type="button"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
          className="mt-0.5 rounded-xs text-sm font-medium text-ink-2 hover:text-ink"
        >
          {t(open ? "goal.panel.less" : "goal.panel.more")}
        </button>
      ) : null}
    </div>
  );
}

function Controls({ goal, pausing, onCommand }: Pick<Props, "goal" | "pausing" | "onCommand">) {
  const [stopping, setStopping] = useState(false);
  if (hasEnded(goal)) return null;
  const stop = () => {
    setStopping(true);
    void onCommand({ type: "cancel" }).finally(() => setStopping(false));
  };
  return (
    <div className="ml-auto flex gap-2">
      {isUnderWay(goal) ? (
        <Button
          size="sm"
          icon={pausing ? <Spinner /> : <Pause aria-hidden />}
          aria-keyshortcuts="F6"
          disabled={pausing}
          onClick={() => void onCommand({ type: "pause" })}
        >
          {t(pausing ? "goal.panel.pausing" : "goal.panel.pause")}
        </Button>
      ) : (
        <Button
          size="sm"
          variant="agentic"
          icon={<Play aria-hidden />}
          aria-keyshortcuts="F5"
          onClick={() => void onCommand({ type: "resume", mode: null })}
        >
          {t("goal.panel.resume")}
        </Button>
      )}
      <Button
        size="sm"
        disabled={stopping}
        icon={stopping ? <Spinner /> : <Square aria-hidden />}
        aria-keyshortcuts="Shift+F5"
        onClick={stop}
      >
        {t(stopping ? "goal.panel.stopping" : "goal.panel.stop")}
      </Button>
    </div>
  );
}
