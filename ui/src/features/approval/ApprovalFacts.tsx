/** Where and as whom it would run, why it is risky, what it changes, and whether that can be undone. */
import { FilePen, Folder, Globe, Info, type LucideIcon, Package, Undo2, User } from "lucide-react";
import type { ReactNode } from "react";
import { t } from "@/i18n";
import type { Approval, RiskReason, UndoOutlook } from "@/ipc/bindings";
import { KeyboardNote } from "@/shared/KeyboardNote";
import { RiskWord } from "@/shared/RiskBadge";
import { shortPath } from "@/shared/steps";
import { Reasons } from "./Reasons";
import { effectsInWords } from "./words";

const PATHS_SHOWN = 4;

type Props = {
  approval: Approval;
  /** In the order in which they are shown. */
  reasons: RiskReason[];
  /** The reason, by its place, whose fragment stands out in the command. */
  onPoint: (at: number | null) => void;
};

export function ApprovalFacts({ approval, reasons, onPoint }: Props) {
  const { risk, effects, undo, keyboard } = approval.assessment;
  // Files whose change is shown line by line need no second mention.
  const shown = new Set(approval.diffs?.map((diff) => diff.path));
  const touches = (effects.touches ?? []).filter((path) => !shown.has(path));
  const root = approval.user === "root" || effects.raisesPrivilege === true;
  return (
    <>
      <ul className="flex flex-wrap items-center gap-x-5 gap-y-1 text-sm text-ink-2">
        <li>
          <RiskWord risk={risk} />
        </li>
        <Fact icon={Folder} name={t("approval.facts.folder")}>
          <span title={approval.cwd}>{shortPath(approval.cwd)}</span>
        </Fact>
        <Fact icon={User} name={t("approval.facts.user")}>
          {root ? t("approval.facts.root") : t("approval.facts.as", { user: approval.user })}
        </Fact>
        {effectsInWords(effects).map((effect) => (
          <Fact key={effect} icon={iconOf(effect)}>
            {effect}
          </Fact>
        ))}
      </ul>
      <ul aria-label={t("approval.reasons")} className="divide-y divide-line rounded-md border border-line">
        <Reasons reasons={reasons} onPoint={onPoint} />
        {keyboard ? (
          <li className="px-3 py-2">
            <KeyboardNote need={keyboard} />
          </li>
        ) : null}
        {touches.length > 0 ? (
          <Row icon={FilePen} iconClass="text-ink-3" title={t("approval.changes")}>
            <span className="wrap-anywhere" title={touches.join("\n")}>
              {touches.slice(0, PATHS_SHOWN).map(shortPath).join(", ")}{" "}
              {touches.length > PATHS_SHOWN
                ? t("approval.more", { count: touches.length - PATHS_SHOWN })
                : null}
            </span>
          </Row>
        ) : null}
        <UndoRow undo={undo} />
      </ul>
    </>
  );
}

function iconOf(effect: string): LucideIcon {
  if (effect === t("approval.facts.network")) return Globe;
  return effect === t("approval.facts.packages") ? Package : Info;
}

function Fact({ icon: Icon, name, children }: { icon: LucideIcon; name?: string; children: ReactNode }) {
  return (
    <li className="flex min-w-0 items-center gap-1.5">
      <Icon aria-hidden className="size-3.5 shrink-0" />
      {name ? <span className="sr-only">{name}:</span> : null}
      <span className="min-w-0 wrap-anywhere">{children}</span>
    </li>
  );
}

type RowProps = { icon: LucideIcon; iconClass: string; title: string; children: ReactNode };

function Row({ icon: Icon, iconClass, title, children }: RowProps) {
  return (
    <li className="flex gap-2.5 px-3 py-2">
      <Icon aria-hidden className={`mt-0.5 size-3.5 shrink-0 ${iconClass}`} />
      <div className="min-w-0 flex-1 wrap-anywhere">
        <p className="font-semibold text-ink">{title}</p>
        <div className="text-sm text-ink-2">{children}</div>
      </div>
    </li>
  );
}

function UndoRow({ undo }: { undo: UndoOutlook }) {
  const [title, text] = undoInWords(undo);
  return (
    <Row icon={Undo2} iconClass={undo.type === "cannot" ? "text-danger" : "text-ink-3"} title={title}>
      {text}
    </Row>
  );
}

function undoInWords(undo: UndoOutlook): [title: string, text: string] {
  switch (undo.type) {
    case "not-needed":
      return [t("approval.undo.notNeeded"), t("approval.undo.notNeededText")];
    case "kept":
      return [t("approval.undo.kept"), t("approval.undo.keptText")];
    case "by-hand":
      return [t("approval.undo.byHand"), undo.how];
    case "partly":
      return [t("approval.undo.partly"), undo.how];
    case "cannot":
      return [t("approval.undo.cannot"), undo.why];
  }
}
