/** Two revisions of a plan side by side in one list: added, changed and removed, in words and shape. */
import { Minus, PencilLine, Plus } from "lucide-react";
import { useMemo, useState } from "react";
import { t } from "@/i18n";
import type { Plan, RevisionEntry } from "@/ipc/bindings";
import { CommandDiff } from "@/shared/CommandDiff";
import { CommandText } from "@/shared/CommandText";
import { cx } from "@/shared/cx";
import { Dialog } from "@/shared/Dialog";
import { stepsAt } from "@/shared/revisions";
import { commandOf } from "@/shared/steps";
import { compareRevisions, type Difference, differencesInWords } from "./revisions";

type Props = {
  plan: Plan;
  revisions: RevisionEntry[];
  /** The earlier revision; null closes the dialog. */
  from: number | null;
  to: number;
  onClose: () => void;
};

export function CompareDialog({ plan, revisions, from, to, onClose }: Props) {
  return (
    <Dialog
      open={from !== null && revisions.some((entry) => entry.revision === from)}
      onOpenChange={(open) => !open && onClose()}
      size="md"
      title={t("plan.compare.title", { before: `${from}`, after: `${to}` })}
    >
      {from === null ? null : <Comparison plan={plan} revisions={revisions} from={from} to={to} />}
    </Dialog>
  );
}

type ComparisonProps = { plan: Plan; revisions: RevisionEntry[]; from: number; to: number };

function Comparison({ plan, revisions, from, to }: ComparisonProps) {
  const [earlier, setEarlier] = useState(from);
  const [later, setLater] = useState(to);
  const differences = useMemo(() => {
    const [before, after] = [earlier, later].map((revision) => stepsAt(plan, revisions, revision));
    return before && after ? compareRevisions(before, after) : [];
  }, [plan, revisions, earlier, later]);
  const groups = useMemo(() => grouped(differences), [differences]);
  return (
    <div className="grid gap-3">
      <div className="flex flex-wrap items-center gap-2 text-sm text-ink-2">
        <RevisionSelect
          label={t("plan.compare.before")}
          value={earlier}
          revisions={revisions}
          onChange={setEarlier}
        />
        <span aria-hidden>→</span>
        <RevisionSelect
          label={t("plan.compare.after")}
          value={later}
          revisions={revisions}
          onChange={setLater}
        />
        <span>{t("plan.compare.description", { changes: differencesInWords(differences) })}</span>
      </div>
      <ol className="grid gap-1.5">
        {groups.map((group) =>
          group.kind === "same" ? (
            <li key={`same-${group.first}`} className="px-3 py-1 text-sm text-ink-3">
              {t("plan.compare.same", { count: group.count })}
            </li>
          ) : (
            <Change key={group.difference.step.id} difference={group.difference} />
          ),
        )}
      </ol>
    </div>
  );
}

const LOOK = {
  added: { icon: Plus, className: "border-agentic-line bg-agentic-tint", word: "text-agentic-ink" },
  changed: { icon: PencilLine, className: "border-dashed border-agentic-line", word: "text-agentic-ink" },
  removed: { icon: Minus, className: "border-dashed border-line-strong", word: "text-danger" },
};

function Change({ difference }: { difference: Exclude<Difference, { kind: "same" }> }) {
  const { icon: Icon, className, word } = LOOK[difference.kind];
  const command = commandOf(difference.step);
  return (
    <li className={cx("grid gap-1 rounded-md border px-3 py-2", className)}>
      <p className="flex items-center gap-2 font-semibold">
        <Icon aria-hidden className={cx("size-3.5 shrink-0", word)} />
        <span className={cx("min-w-0 flex-1 wrap-anywhere", difference.kind === "removed" && "line-through")}>
          {difference.step.title}
        </span>
        <span className={cx("text-xs", word)}>{t(`plan.compare.${difference.kind}`)}</span>
      </p>
      {difference.kind === "changed" ? (
        <CommandDiff before={commandOf(difference.before)} after={command} />
      ) : (
        <CommandText command={command} className="text-sm text-ink-2" />
      )}
      {difference.kind === "added" && difference.step.origin.type === "repair" ? (
        <p className="text-sm text-ink-2">{difference.step.origin.reason}</p>
      ) : null}
    </li>
  );
}

function RevisionSelect({
  label,
  value,
  revisions,
  onChange,
}: {
  label: string;
  value: number;
  revisions: RevisionEntry[];
  onChange: (revision: number) => void;
}) {
  return (
    <select
      aria-label={label}
      value={value}
      onChange={(event) => onChange(Number(event.target.value))}
      className="h-[26px] rounded-sm border border-line-strong bg-panel px-1.5 text-sm text-ink"
    >
      {revisions.map((entry) => (
        <option key={entry.revision} value={entry.revision}>
          r{entry.revision}
        </option>
      ))}
    </select>
  );
}

type Group =
  | { kind: "same"; first: string; count: number }
  | { kind: "change"; difference: Exclude<Difference, { kind: "same" }> };

/** Runs of unchanged steps take one line. */
function grouped(differences: Difference[]): Group[] {
  const groups: Group[] = [];
  for (const difference of differences) {
    const last = groups.at(-1);
    if (difference.kind !== "same") groups.push({ kind: "change", difference });
    else if (last?.kind === "same") last.count += 1;
    else groups.push({ kind: "same", first: difference.step.id, count: 1 });
  }
  return groups;
}
