/* Code in an answer: exactly as written, with a way to copy it and, for commands, to ask what they would do. */
import { CircleHelp } from "lucide-react";
import { t } from "@/i18n";
import { IconButton } from "@/shared/Button";
import { CommandText } from "@/shared/CommandText";
import { CopyButton } from "@/shared/CopyButton";

const SHELLS = new Set(["sh", "bash", "shell", "zsh", "console", "shell-session", "terminal"]);

type Props = {
  code: string;
  language: string | null;
  onExplain?: ((command: string) => void) | undefined;
};

export function CodeBlock({ code, language, onExplain }: Props) {
  const shell = language !== null && SHELLS.has(language.toLowerCase());
  const command = shell ? commandIn(code) : "";
  return (
    <div className="min-w-0 overflow-hidden rounded-sm border border-line bg-bg">
      <div className="flex h-8 items-center border-b border-line pr-0.5 pl-3 text-xs text-ink-3">
        <span className="min-w-0 flex-1 truncate">{language ?? t("chat.answer.code")}</span>
        {onExplain && command !== "" ? (
          <IconButton label={t("chat.answer.explain")} onClick={() => onExplain(command)}>
            <CircleHelp aria-hidden />
          </IconButton>
        ) : null}
        <CopyButton text={shell ? command : code} label={t("chat.answer.copyCode")} />
      </div>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a pane that scrolls has to be reachable with the keyboard.
        tabIndex={0}
        className="max-h-96 overflow-auto px-3 py-2 text-sm leading-[19px] -outline-offset-2 [tab-size:4]"
      >
        {shell ? <CommandText command={code} /> : <code>{code}</code>}
      </pre>
    </div>
  );
}

/** The commands of a block: where some lines begin with a prompt, only those count. */
function commandIn(code: string): string {
  const lines = code.split("\n");
  const prompted = lines.filter((line) => /^\s*\$ /.test(line));
  return (prompted.length > 0 ? prompted.map((line) => line.replace(/^\s*\$ /, "")) : lines)
    .join("\n")
    .trim();
}
