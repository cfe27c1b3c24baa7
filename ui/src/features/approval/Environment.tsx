/** What earlier steps changed in the environment that the command would get. The answer is bound to it. */
import { Variable } from "lucide-react";
import { t } from "@/i18n";
import type { EnvironmentChange, EnvironmentValue } from "@/ipc/bindings";
import { CommandText } from "@/shared/CommandText";
import { Details } from "@/shared/Details";
import { environmentInWords } from "./words";

export function Environment({ changes }: { changes: EnvironmentChange[] }) {
  if (changes.length === 0) return null;
  return (
    <Details
      summary={
        <span className="flex min-w-0 items-center gap-1.5">
          <Variable aria-hidden className="size-3.5 shrink-0" />
          <span className="min-w-0 wrap-anywhere">{environmentInWords(changes)}</span>
        </span>
      }
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a pane that scrolls has to be reachable with the keyboard. */}
      <div tabIndex={0} className="max-h-40 overflow-y-auto rounded-sm bg-sunken px-2.5 py-2">
        <dl
          aria-label={t("approval.environment.label")}
          className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1"
        >
          {changes.map(({ name, now }) => (
            <div key={`${name}${now.type}`} className="contents">
              <dt>
                <CommandText command={name} className="text-ink" />
              </dt>
              <dd className="min-w-0 text-ink-2">
                <Value value={now} />
              </dd>
            </div>
          ))}
        </dl>
      </div>
    </Details>
  );
}

function Value({ value }: { value: EnvironmentValue }) {
  switch (value.type) {
    case "set":
      return value.value === "" ? (
        <i>{t("approval.environment.empty")}</i>
      ) : (
        <CommandText command={value.value} />
      );
    case "hidden":
      return <i>{t("approval.environment.hidden")}</i>;
    case "unset":
      return <i>{t("approval.environment.unset")}</i>;
    case "function":
      return <i>{t("approval.environment.function")}</i>;
  }
}
