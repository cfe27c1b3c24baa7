/* A line of text, saved when it is left or Enter is pressed, and only when nothing is wrong with it. */
import { ChevronDown } from "lucide-react";
import { useEffect, useState } from "react";
import { t } from "@/i18n";
import { IconButton } from "@/shared/Button";
import { cx } from "@/shared/cx";
import { Menu } from "@/shared/Menu";
import { FIELD } from "./controls";

type Props = {
  id: string;
  value: string;
  placeholder: string;
  /** Values that may be chosen instead of typed. */
  suggestions?: string[];
  problemOf?: (text: string) => string | null;
  onCommit: (text: string) => void;
};

export function LineField({ id, value, placeholder, suggestions = [], problemOf, onCommit }: Props) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const trimmed = text.trim();
  const problem = problemOf?.(trimmed) ?? null;
  const commit = () => {
    if (problem === null && trimmed !== value) onCommit(trimmed);
  };
  return (
    <>
      <div className="flex gap-1">
        <input
          id={id}
          type="text"
          value={text}
          placeholder={placeholder}
          aria-invalid={problem !== null}
          aria-describedby={problem === null ? undefined : `${id}-problem`}
          spellCheck={false}
          autoCapitalize="off"
          autoCorrect="off"
          autoComplete="off"
          onChange={(event) => setText(event.target.value)}
          onBlur={commit}
          onKeyDown={(event) => event.key === "Enter" && commit()}
          className={cx(
            FIELD,
            "min-w-0 flex-1 font-mono text-sm placeholder:font-ui placeholder:text-ink-3 aria-invalid:border-danger",
          )}
        />
        {suggestions.length > 0 ? (
          // A menu of its own: not every engine that this runs in shows a <datalist>.
          <Menu
            align="end"
            items={() =>
              suggestions.map((suggestion) => ({
                id: suggestion,
                label: <span className="font-mono text-sm break-all">{suggestion}</span>,
                onSelect: () => onCommit(suggestion),
              }))
            }
            trigger={
              <IconButton label={t("models.chooseModel")} className="size-8 border border-line-strong">
                <ChevronDown aria-hidden />
              </IconButton>
            }
          />
        ) : null}
      </div>
      {problem === null ? null : (
        <p id={`${id}-problem`} role="alert" className="text-sm text-danger">
          {problem}
        </p>
      )}
    </>
  );
}
