/** On the confirmation card, of a page: the ways it shows, and what of it is no step. Every choice is the engine's to make true. */
import { Plus, TriangleAlert } from "lucide-react";
import { useId, useState } from "react";
import { t } from "@/i18n";
import type { Command, LeftOut, PageFinding, PageReading, Plan, SessionId, StepId } from "@/ipc/bindings";
import { AskModelButton, AskModelConfirm, useSortingEstimate } from "@/shared/AskModel";
import { Button } from "@/shared/Button";
import { CommandText } from "@/shared/CommandText";
import { Details } from "@/shared/Details";
import { Spinner } from "@/shared/Spinner";
import { countsInWords, type OpenChoice, openChoices, openFindings } from "./pageReading";

type Props = {
  sessionId: SessionId;
  plan: Plan;
  page: PageReading;
  onCommand: (command: Command) => Promise<void>;
  onPoint: ((id: StepId) => void) | undefined;
};

export function PageCard({ sessionId, plan, page, onCommand, onPoint }: Props) {
  const findings = openFindings(plan, page);
  return (
    <>
      {findings.length === 0 ? null : (
        <Details summary={t("page.findings", { count: findings.length })}>
          <ul aria-label={t("page.findingsLabel")} className="grid max-h-60 gap-1.5 overflow-y-auto">
            {findings.map((finding) => (
              <Finding key={`${finding.line} ${finding.text}`} finding={finding} onPoint={onPoint} />
            ))}
          </ul>
        </Details>
      )}
      {openChoices(page).map((open) => (
        <Ways
          key={open.place}
          {...open}
          onChoose={(way) => void onCommand({ type: "choose-way", choice: open.place, way })}
        />
      ))}
      {page.leftOut.length === 0 ? null : (
        <Details
          summary={t("plan.page.leftOut", {
            count: page.leftOut.length,
            parts: countsInWords(page.leftOut),
          })}
        >
          <ul aria-label={t("plan.page.leftOutLabel")} className="grid max-h-80 gap-2 overflow-y-auto">
            {page.leftOut.map((one) => (
              <LeftOutRow
                key={`${one.block} ${one.role}`}
                leftOut={one}
                onTakeIn={() => void onCommand({ type: "take-in", block: one.block })}
              />
            ))}
          </ul>
        </Details>
      )}
      <SortPage sessionId={sessionId} revision={plan.revision} onCommand={onCommand} />
    </>
  );
}

type SortPageProps = { sessionId: SessionId; revision: number; onCommand: Props["onCommand"] };

/** Where the rules left something open, the model may sort the page. */
function SortPage({ sessionId, revision, onCommand }: SortPageProps) {
  const estimate = useSortingEstimate(sessionId, revision);
  const [phase, setPhase] = useState<"offered" | "priced" | "sorting">("offered");
  if (!estimate) return null;
  const sort = async () => {
    setPhase("sorting");
    await onCommand({ type: "sort-page" });
    setPhase("offered");
  };
  if (phase === "sorting") {
    return (
      <p role="status" className="flex flex-wrap items-center gap-3 text-sm text-ink-2">
        <Spinner />
        <span className="min-w-0 flex-1 wrap-anywhere">
          {t("plan.page.sorting", { model: estimate.model })}
        </span>
        <Button size="sm" onClick={() => void onCommand({ type: "cancel" })}>
          {t("plan.page.stopSorting")}
        </Button>
      </p>
    );
  }
  if (phase === "priced") {
    return (
      <AskModelConfirm
        estimate={estimate}
        about="page"
        onYes={() => void sort()}
        onBack={() => setPhase("offered")}
      />
    );
  }
  return (
    <div>
      <AskModelButton estimate={estimate} about="page" onAsk={() => setPhase("priced")} />
    </div>
  );
}

function Finding({ finding, onPoint }: { finding: PageFinding; onPoint: Props["onPoint"] }) {
  const { stepId } = finding;
  return (
    <li className="flex items-start gap-2">
      <TriangleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0 text-caution" />
      <span className="min-w-0 flex-1 wrap-anywhere text-ink-2">{finding.text}</span>
      {stepId === null || !onPoint ? (
        <span className="shrink-0 text-ink-3">{t("page.line", { line: finding.line })}</span>
      ) : (
        <Button size="sm" variant="ghost" onClick={() => onPoint(stepId)}>
          {t("page.line", { line: finding.line })}
        </Button>
      )}
    </li>
  );
}

function Ways({ choice, onChoose }: OpenChoice & { onChoose: (way: number) => void }) {
  const name = useId();
  return (
    <fieldset className="min-w-0 text-sm">
      <legend className="mb-1 text-ink-3">
        <span className="font-semibold text-ink">{choice.name}</span>
        {choice.decided === "" ? null : ` · ${choice.decided}`}
      </legend>
      <div className="flex flex-wrap gap-x-5 gap-y-1">
        {choice.ways.map((way, place) => (
          <label
            key={way.blocks.join(" ")}
            title={way.texts.join("\n")}
            className="flex min-w-0 items-center gap-2"
          >
            <input
              type="radio"
              name={name}
              checked={place === choice.chosen}
              onChange={() => onChoose(place)}
              className="accent-(--ink)"
            />
            <span className="wrap-anywhere text-ink">{way.name}</span>
            {way.unfit === null ? null : <span className="text-ink-3">{way.unfit}</span>}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

function LeftOutRow({ leftOut, onTakeIn }: { leftOut: LeftOut; onTakeIn: () => void }) {
  const first = leftOut.text.trim().split("\n", 1)[0] ?? "";
  return (
    <li className="flex items-start gap-3">
      <div className="min-w-0 flex-1">
        <div className="max-h-24 overflow-y-auto rounded-xs bg-sunken px-2 py-1 text-ink-2">
          <CommandText command={leftOut.text.trim()} />
        </div>
        <p className="mt-0.5 text-ink-3">{leftOut.why}</p>
      </div>
      {leftOut.steps.length === 0 ? null : (
        <Button
          size="sm"
          variant="ghost"
          icon={<Plus aria-hidden />}
          aria-label={t("plan.page.takeInNamed", { text: first })}
          onClick={onTakeIn}
        >
          {t("plan.page.takeIn")}
        </Button>
      )}
    </li>
  );
}
