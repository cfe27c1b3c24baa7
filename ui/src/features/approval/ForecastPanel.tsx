/**
 * What the command did to copies of the files, tried out without network. One quiet line until it is opened, so that what
 * comes in late moves no button. A forecast, no promise, and labelled as one.
 */
import { CircleHelp, FileMinus, FilePen, FilePlus, FlaskConical, type LucideIcon } from "lucide-react";
import { t } from "@/i18n";
import type { Approval, FileChange, FileForecast, Forecast } from "@/ipc/bindings";
import { CommandText } from "@/shared/CommandText";
import { Details } from "@/shared/Details";
import { formatDuration } from "@/shared/format";
import { Spinner } from "@/shared/Spinner";
import { shortPath } from "@/shared/steps";
import { useForecast } from "@/state/forecasts";

const LOOK: Record<FileChange, { icon: LucideIcon; ink: string }> = {
  deleted: { icon: FileMinus, ink: "text-danger" },
  changed: { icon: FilePen, ink: "text-caution" },
  created: { icon: FilePlus, ink: "text-ink-3" },
};

/** What is lost comes first. */
const ORDER: FileChange[] = ["deleted", "changed", "created"];

export function ForecastPanel({ approval }: { approval: Approval }) {
  const forecast = useForecast(approval.id);
  if (!forecast) return null;
  return (
    <section aria-label={t("approval.forecast.label")} aria-live="polite" className="text-sm text-ink-2">
      <Told forecast={forecast} root={approval.cwd} />
    </section>
  );
}

function Told({ forecast, root }: { forecast: Forecast; root: string }) {
  switch (forecast.type) {
    case "running":
      return (
        <p className="flex items-center gap-1.5 text-ink-3">
          <Spinner className="size-3" />
          {t("approval.forecast.running")}
        </p>
      );
    case "unavailable":
      return (
        <p className="flex items-start gap-1.5 text-ink-3">
          <CircleHelp aria-hidden className="mt-0.5 size-3 shrink-0" />
          <span className="min-w-0 wrap-anywhere">
            {t("approval.forecast.unavailable", { why: forecast.why })}
          </span>
        </p>
      );
    case "made":
      return <Made forecast={forecast} root={root} />;
  }
}

function Made({ forecast, root }: { forecast: Extract<Forecast, { type: "made" }>; root: string }) {
  const { files, more, notes, exitStatus, milliseconds } = forecast;
  return (
    <Details
      summary={
        <span className="flex min-w-0 items-center gap-1.5">
          <FlaskConical aria-hidden className="size-3.5 shrink-0" />
          <span className="min-w-0 wrap-anywhere">
            {t("approval.forecast.summary", { what: inWords(files, more) })}
          </span>
        </span>
      }
    >
      <p className="text-xs text-ink-3">
        {t("approval.forecast.about", { duration: formatDuration(milliseconds) })}{" "}
        {exitStatus === null || exitStatus === 0 ? null : t("approval.forecast.failed", { code: exitStatus })}
      </p>
      {notes.length > 0 ? (
        <ul className="mt-1 list-disc pl-4 text-xs text-ink-2">
          {notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      ) : null}
      {files.length > 0 ? (
        <div
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a pane that scrolls has to be reachable with the keyboard.
          tabIndex={0}
          className="mt-1.5 max-h-40 overflow-y-auto rounded-sm border border-line bg-panel py-1"
        >
          <ul aria-label={t("approval.forecast.files")}>
            {ORDER.flatMap((change) => files.filter((file) => file.change === change)).map((file) => (
              <FileRow key={`${file.change}${file.path}`} file={file} root={root} />
            ))}
            {more > 0 ? (
              <li className="px-2.5 py-0.5 text-ink-3">{t("approval.more", { count: more })}</li>
            ) : null}
          </ul>
        </div>
      ) : null}
    </Details>
  );
}

function FileRow({ file, root }: { file: FileForecast; root: string }) {
  const { icon: Icon, ink } = LOOK[file.change];
  const path = file.path.startsWith(`${root}/`) ? file.path.slice(root.length + 1) : shortPath(file.path);
  return (
    <li className="flex items-start gap-2 px-2.5 py-0.5" title={file.path}>
      <Icon aria-hidden className={`mt-0.5 size-3.5 shrink-0 ${ink}`} />
      <span className="w-14 shrink-0 text-ink-3">{t(`approval.forecast.change.${file.change}`)}</span>
      <span className="min-w-0 text-ink">
        <CommandText command={file.folder ? `${path}/` : path} />
        {file.inside > 0 ? (
          <span className="ml-1.5 text-ink-3">{t("approval.forecast.inside", { count: file.inside })}</span>
        ) : null}
      </span>
    </li>
  );
}

/** "deletes 12, changes 1". Of files beyond the bound only the number is known. */
function inWords(files: FileForecast[], more: number): string {
  const parts = ORDER.flatMap((change) => {
    const of = files.filter((file) => file.change === change);
    const count = of.reduce((sum, file) => sum + 1 + file.inside, 0);
    return count === 0 ? [] : [t(`approval.forecast.count.${change}`, { count })];
  });
  if (parts.length === 0) return t("approval.forecast.nothing");
  if (more > 0) parts.push(t("approval.more", { count: more }));
  return parts.join(", ");
}
