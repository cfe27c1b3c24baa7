/* A small action beside a message. Hundreds of them may be there at once, so its name is shown by the browser itself. */
import { Check, Copy } from "lucide-react";
import type { ReactNode } from "react";
import { t } from "@/i18n";
import { useCopy } from "@/shared/hooks";

type Props = { label: string; onClick: () => void; children: ReactNode };

export function RowAction({ label, onClick, children }: Props) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      onClick={onClick}
      className="inline-flex size-6 shrink-0 items-center justify-center rounded-sm text-ink-3 transition-colors hover:bg-sunken hover:text-ink [&>svg]:size-3.5"
    >
      {children}
    </button>
  );
}

export function CopyAction({ text, label }: { text: string; label: string }) {
  const { copied, copy } = useCopy();
  return (
    <RowAction label={copied ? t("shared.copied") : label} onClick={() => copy(text)}>
      {copied ? <Check aria-hidden /> : <Copy aria-hidden />}
    </RowAction>
  );
}
