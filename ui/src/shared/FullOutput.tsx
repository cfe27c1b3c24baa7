/** All that is kept of an output, in a dialog: rows are loaded as they come into view, and a search goes through all of it. */
import { useVirtualizer } from "@tanstack/react-virtual";
import { CaseSensitive, ChevronDown, ChevronUp, Copy } from "lucide-react";
import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from "react";
import { t } from "@/i18n";
import { Button, IconButton } from "./Button";
import { Dialog } from "./Dialog";
import { useCopy } from "./hooks";
import { OutputLine } from "./OutputLine";
import type { OutputSource } from "./outputSource";
import { plainText, terminalLines } from "./terminalLines";
import { type OutputRowsView, useOutputRows } from "./useOutputRows";
import { type OutputSearch, useOutputSearch } from "./useOutputSearch";

const ROW_HEIGHT = 18;
/** Rows in one scroller: no browser draws a page that is higher than some 30 million pixels. */
const PART = 1_000_000;

type Props = {
  title: string;
  source: OutputSource;
  live: boolean;
  /** Begin in the search field. */
  searching: boolean;
  onClose: () => void;
};

export function FullOutput({ title, source, live, searching, onClose }: Props) {
  const rows = useOutputRows(source, live);
  const search = useOutputSearch(source, live ? rows.total : null);
  const field = useRef<HTMLInputElement>(null);
  const { copied, copy } = useCopy();
  const total = rows.total ?? 0;
  const onKeyDown = (event: KeyboardEvent) => {
    if (!isFind(event)) return;
    event.preventDefault();
    event.stopPropagation();
    field.current?.focus();
    field.current?.select();
  };

  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={t("shared.output.fullTitle", { title })}
      description={
        rows.failed
          ? t("shared.output.unreadable")
          : rows.total === null
            ? t("shared.output.loading")
            : t("shared.output.lines", { count: total })
      }
      size="lg"
      firstFocus={searching ? field : undefined}
      footer={
        <Button
          icon={<Copy aria-hidden />}
          onClick={() =>
            void source.whole().then(
              (text) => copy(plainText(text)),
              () => undefined,
            )
          }
        >
          {copied ? t("shared.copied") : t("shared.output.copyAll")}
        </Button>
      }
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a shortcut for all that is inside. */}
      <div onKeyDown={onKeyDown} className="grid gap-2">
        <SearchBar search={search} field={field} />
        <RowList rows={rows} total={total} search={search} live={live} />
      </div>
    </Dialog>
  );
}

export function isFind(event: KeyboardEvent): boolean {
  return (
    (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "f"
  );
}

function SearchBar({ search, field }: { search: OutputSearch; field: RefObject<HTMLInputElement | null> }) {
  const none = search.at === null;
  return (
    <search className="flex items-center gap-1.5">
      <input
        ref={field}
        type="search"
        value={search.text}
        aria-label={t("shared.output.search")}
        placeholder={t("shared.output.search")}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => search.setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter") return;
          event.preventDefault();
          search.move(event.shiftKey ? -1 : 1);
        }}
        className="h-8 min-w-0 flex-1 rounded-sm border border-line-strong bg-raised px-2.5 text-md text-ink shadow-1"
      />
      <span role="status" className="min-w-24 text-right text-sm text-ink-2 tabular-nums">
        {foundWords(search)}
      </span>
      <IconButton
        label={t("shared.output.matchCase")}
        aria-pressed={search.matchCase}
        onClick={() => search.setMatchCase(!search.matchCase)}
        className={search.matchCase ? "bg-sunken text-ink" : undefined}
      >
        <CaseSensitive aria-hidden />
      </IconButton>
      <IconButton label={t("shared.output.previous")} disabled={none} onClick={() => search.move(-1)}>
        <ChevronUp aria-hidden />
      </IconButton>
      <IconButton label={t("shared.output.next")} disabled={none} onClick={() => search.move(1)}>
        <ChevronDown aria-hidden />
      </IconButton>
    </search>
  );
}

function foundWords({ text, searching, at, total }: OutputSearch): string {
  if (text === "") return "";
  if (searching) return t("shared.output.searching");
  if (at === null) return t("shared.output.notFound");
  return t("shared.output.found", { at: at + 1, total });
}

type ListProps = { rows: OutputRowsView; total: number; search: OutputSearch; live: boolean };

function RowList({ rows, total, search, live }: ListProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const [first, setFirst] = useState(0);
  const { present } = search;
  const virtual = useVirtualizer({
    count: Math.min(PART, total - first),
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 30,
  });
  const items = virtual.getVirtualItems();
  const from = first + (items[0]?.index ?? 0);
  const to = first + (items.at(-1)?.index ?? 0);
  useEffect(() => {
    if (total > 0) rows.want(from, to);
  });

  const row = present?.row ?? null;
  useEffect(() => {
    if (row === null) return;
    const part = Math.floor(row / PART) * PART;
    setFirst(part);
    // The part is drawn first.
    const frame = requestAnimationFrame(() => virtual.scrollToIndex(row - part, { align: "center" }));
    return () => cancelAnimationFrame(frame);
  }, [row, virtual]);

  // What is still written is opened at its end.
  const atEnd = useRef(false);
  useEffect(() => {
    if (!live || atEnd.current || total === 0) return;
    atEnd.current = true;
    setFirst(Math.floor((total - 1) / PART) * PART);
    const frame = requestAnimationFrame(() => virtual.scrollToIndex((total - 1) % PART, { align: "end" }));
    return () => cancelAnimationFrame(frame);
  }, [live, total, virtual]);

  return (
    <>
      {total > PART ? <Parts first={first} total={total} onChange={setFirst} /> : null}
      <div
        ref={scroller}
        role="log"
        aria-live="off"
        aria-label={t("shared.output.label")}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a pane that scrolls has to be reachable with the keyboard.
        tabIndex={0}
        className="h-[56vh] overflow-auto rounded-sm bg-term px-3 py-2 font-mono text-sm leading-[18px] text-term-ink"
      >
        <div style={{ height: virtual.getTotalSize(), position: "relative" }}>
          {items.map((item) => {
            const number = first + item.index;
            return (
              <div
                key={item.key}
                data-index={item.index}
                ref={virtual.measureElement}
                className="absolute inset-x-0 top-0"
                style={{ transform: `translateY(${item.start}px)` }}
              >
                <OutputLine
                  line={terminalLines(rows.row(number) ?? "")[0] ?? []}
                  find={search.pattern}
                  present={present?.row === number ? present.place : null}
                />
              </div>
            );
          })}
        </div>
      </div>
    </>
  );
}

function Parts({
  first,
  total,
  onChange,
}: {
  first: number;
  total: number;
  onChange: (first: number) => void;
}) {
  const last = Math.min(first + PART, total);
  return (
    <div className="flex items-center gap-2 text-sm text-ink-2">
      <span className="flex-1 tabular-nums">
        {t("shared.output.part", { first: first + 1, last, total })}
      </span>
      <Button size="sm" disabled={first === 0} onClick={() => onChange(first - PART)}>
        {t("shared.output.earlierPart")}
      </Button>
      <Button size="sm" disabled={last === total} onClick={() => onChange(first + PART)}>
        {t("shared.output.laterPart")}
      </Button>
    </div>
  );
}
