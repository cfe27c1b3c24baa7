/* Long texts that were pasted into the composer: each a chip that opens, so that the words around it can still be seen. */
import { FileText, X } from "lucide-react";
import { useState } from "react";
import { t } from "@/i18n";
import { Button, IconButton } from "@/shared/Button";
import { Dialog } from "@/shared/Dialog";

const LINES = 12;
const LENGTH = 2_000;

/** Whether pasted text is a page rather than words. */
export function isPage(text: string): boolean {
  return text.length > LENGTH || text.trim().split("\n").length > LINES;
}

/** Whether a message is nothing but the address of a page. */
export function isAddress(text: string): boolean {
  return /^https?:\/\/\S+$/i.test(text.trim());
}

/** What is sent: the words, then the pages as they are. */
export function withPages(words: string, pages: string[]): string {
  return pages.length === 0 ? words : [words.trim(), ...pages].filter((part) => part !== "").join("\n\n");
}

/** The first line that says something, without a heading's mark. */
function nameOf(page: string): string {
  const line = page.split("\n").find((one) => /[\p{L}\p{N}]/u.test(one)) ?? "";
  return line.replace(/^[#\s]+/, "").trim() || t("composer.pasted");
}

type Props = { pages: string[]; onChange: (pages: string[]) => void };

export function PastedPages({ pages, onChange }: Props) {
  const [opened, setOpened] = useState<number | null>(null);
  if (pages.length === 0) return null;
  const replace = (at: number, by: string[]) => onChange(pages.toSpliced(at, 1, ...by));
  const page = opened === null ? undefined : pages[opened];
  return (
    <ul aria-label={t("composer.pages")} className="flex flex-wrap gap-1.5 px-3 pt-3">
      {pages.map((text, at) => {
        const name = nameOf(text);
        const lines = t("composer.lines", { count: text.trimEnd().split("\n").length });
        return (
          <li
            // biome-ignore lint/suspicious/noArrayIndexKey: the same page may be pasted twice, and none moves.
            key={at}
            className="flex max-w-full items-center rounded-sm border border-line bg-sunken text-sm"
          >
            <button
              type="button"
              title={t("composer.openPage")}
              onClick={() => setOpened(at)}
              className="flex h-7 min-w-0 items-center gap-2 rounded-sm pl-2 text-ink hover:underline"
            >
              <FileText aria-hidden className="size-3.5 shrink-0 text-agentic-ink" />
              <span className="max-w-64 truncate font-medium">{name}</span>{" "}
              <span className="shrink-0 text-ink-3 tabular-nums">{lines}</span>
            </button>
            <IconButton label={t("composer.removePage", { name })} onClick={() => replace(at, [])}>
              <X aria-hidden />
            </IconButton>
          </li>
        );
      })}
      {opened !== null && page !== undefined ? (
        <PageDialog
          text={page}
          onClose={() => setOpened(null)}
          onSave={(text) => {
            setOpened(null);
            replace(opened, text.trim() === "" ? [] : [text]);
          }}
        />
      ) : null}
    </ul>
  );
}

function PageDialog({
  text,
  onClose,
  onSave,
}: {
  text: string;
  onClose: () => void;
  onSave: (text: string) => void;
}) {
  const [page, setPage] = useState(text);
  return (
    <Dialog
      open
      onOpenChange={onClose}
      size="lg"
      title={t("composer.pasted")}
      description={t("composer.pastedText")}
      footer={
        <>
          <Button onClick={onClose}>{t("composer.pageCancel")}</Button>
          <Button variant="primary" disabled={page === text} onClick={() => onSave(page)}>
            {t("composer.pageSave")}
          </Button>
        </>
      }
    >
      <textarea
        value={page}
        aria-label={t("composer.pasted")}
        spellCheck={false}
        onChange={(event) => setPage(event.target.value)}
        className="block h-[60dvh] w-full resize-none rounded-sm border border-line-strong bg-panel p-3 font-mono text-sm text-ink"
      />
    </Dialog>
  );
}
