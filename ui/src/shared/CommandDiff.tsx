/** A command's old form above its new one, the differing words marked in shape and colour. */
import { Minus, Plus } from "lucide-react";
import { useMemo } from "react";
import { t } from "@/i18n";
import { CommandText } from "./CommandText";
import { cx } from "./cx";
import { type DiffPart, wordDiff } from "./wordDiff";

type Props = { before: string; after: string; className?: string };

export function CommandDiff({ before, after, className }: Props) {
  const parts = useMemo(() => wordDiff(before, after), [before, after]);
  return (
    <dl className={cx("grid grid-cols-[auto_1fr] gap-x-2 gap-y-1 font-mono text-sm", className)}>
      <dt className="flex h-[1.45em] items-center text-ink-3">
        <Minus aria-label={t("shared.before")} className="size-3" />
      </dt>
      <dd className="min-w-0 text-ink-3">
        <Side parts={parts} mark="removed" />
      </dd>
      <dt className="flex h-[1.45em] items-center text-agentic-ink">
        <Plus aria-label={t("shared.after")} className="size-3" />
      </dt>
      <dd className="min-w-0 text-ink">
        <Side parts={parts} mark="added" />
      </dd>
    </dl>
  );
}

function Side({ parts, mark }: { parts: DiffPart[]; mark: "added" | "removed" }) {
  return parts
    .filter((part) => part.kind === "same" || part.kind === mark)
    .map((part, index) => {
      const Tag = part.kind === "removed" ? "del" : part.kind === "added" ? "ins" : "span";
      return (
        <Tag
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one fixed text.
          key={index}
          className={cx(
            part.kind === "removed" && "line-through decoration-danger",
            part.kind === "added" &&
              "rounded-xs bg-agentic-tint text-agentic-ink underline decoration-agentic-line underline-offset-3",
            part.kind === "same" && "no-underline",
          )}
        >
          <CommandText command={part.text} />
        </Tag>
      );
    });
}
