/** Copies a text and says so. */
import { Check, Copy } from "lucide-react";
import { t } from "@/i18n";
import { IconButton } from "./Button";
import { useCopy } from "./hooks";

type Props = { text: string; label?: string; onTerminal?: boolean };

export function CopyButton({ text, label = t("shared.copy"), onTerminal = false }: Props) {
  const { copied, copy } = useCopy();
  return (
    <IconButton
      label={copied ? t("shared.copied") : label}
      onTerminal={onTerminal}
      onClick={() => copy(text)}
    >
      {copied ? <Check aria-hidden /> : <Copy aria-hidden />}
    </IconButton>
  );
}
