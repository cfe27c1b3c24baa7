/** The call in question: what it is in one line, how the files would change, and its exact arguments. Not edited here. */
import { ChevronRight } from "lucide-react";
import { t } from "@/i18n";
import type { Action, Approval, RiskReason } from "@/ipc/bindings";
import { CommandText } from "@/shared/CommandText";
import { CopyButton } from "@/shared/CopyButton";
import { DiffView } from "@/shared/DiffView";
import { usePointed } from "./usePointed";

type Props = {
  approval: Approval;
  action: Extract<Action, { type: "tool" }>;
  /** In the order in which they are shown. */
  reasons: RiskReason[];
  /** The reason, by its place, whose fragment is to stand out. */
  pointed: number | null;
};

export function ApprovalTool({ approval, action, reasons, pointed }: Props) {
  const block = usePointed(pointed);
  const diffs = approval.diffs ?? [];
  return (
    <section aria-label={t("approval.toolCall")} className="grid gap-2">
      <div className="flex items-start gap-1 rounded-md bg-term py-2 pr-2 pl-3.5 text-term-ink">
        <div ref={block} className="max-h-32 min-w-0 flex-1 overflow-y-auto py-1">
          <CommandText onTerminal command={action.command} reasons={reasons} pointed={pointed} />
        </div>
        <CopyButton onTerminal text={action.command} label={t("approval.copy")} />
      </div>
      {diffs.map((diff) => (
        <DiffView key={diff.path} diff={diff} root={approval.cwd} />
      ))}
      <details className="group text-sm" open={diffs.length === 0}>
        <summary className="inline-flex items-center gap-1.5 rounded-xs text-ink-3 hover:text-ink">
          <ChevronRight aria-hidden className="size-3 transition-[rotate] group-open:rotate-90" />
          {t("approval.arguments")}
        </summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a pane that scrolls has to be reachable with the keyboard. */}
        <div tabIndex={0} className="mt-1.5 max-h-44 overflow-auto rounded-sm bg-sunken px-2.5 py-2 text-ink">
          <CommandText command={readable(action.input)} />
        </div>
      </details>
    </section>
  );
}

/** On lines of their own, but only where nothing is lost by it: what is shown is what would be used. */
function readable(input: string): string {
  try {
    const value: unknown = JSON.parse(input);
    return JSON.stringify(value) === input ? JSON.stringify(value, null, 2) : input;
  } catch {
    return input;
  }
}
