/** How much harm a command may do: a word with an icon, its reasons on hover, on focus and by key. Quiet until it matters. */
import { Ban, type LucideIcon, ShieldAlert, ShieldCheck, TriangleAlert } from "lucide-react";
import { Tooltip as Radix } from "radix-ui";
import { useMemo, useState } from "react";
import { t } from "@/i18n";
import type { Risk, RiskReason } from "@/ipc/bindings";
import { CommandText } from "./CommandText";
import { cx } from "./cx";
import { usePortalContainer } from "./portal";
import { capital, inOrder, riskName, spoken } from "./risk";

const LOOK: Record<Risk, { icon: LucideIcon; word: string; ink: string }> = {
  safe: { icon: ShieldCheck, word: "text-ink-3", ink: "text-ink-3" },
  caution: { icon: ShieldAlert, word: "text-caution", ink: "text-caution" },
  dangerous: {
    icon: TriangleAlert,
    word: "bg-danger-tint px-1.5 font-semibold text-danger",
    ink: "text-danger",
  },
  blocked: {
    icon: Ban,
    word: "border border-blocked bg-blocked-tint px-1.5 font-semibold text-blocked",
    ink: "text-danger",
  },
};

const WORD = "inline-flex h-5 shrink-0 items-center gap-1 rounded-full text-xs whitespace-nowrap";

/** The icon of a risk, in its colour. */
export function RiskIcon({ risk, className }: { risk: Risk; className?: string }) {
  const { icon: Icon, ink } = LOOK[risk];
  return <Icon aria-hidden className={cx("size-3.5 shrink-0", ink, className)} />;
}

/** The word alone, where the reasons stand beside it anyway. */
export function RiskWord({ risk }: { risk: Risk }) {
  const { icon: Icon, word } = LOOK[risk];
  return (
    <span className={cx(WORD, word)}>
      <Icon aria-hidden className="size-3.5" />
      {t(`shared.risk.${risk}`)}
    </span>
  );
}

type Props = {
  risk: Risk;
  reasons?: RiskReason[];
  /** The command that the reasons point into; without it their fragments stand beside them. */
  command?: string;
};

export function RiskBadge({ risk, reasons = [], command }: Props) {
  const container = usePortalContainer();
  const [open, setOpen] = useState(false);
  const { icon: Icon, word } = LOOK[risk];
  return (
    <Radix.Provider delayDuration={350} skipDelayDuration={200}>
      <Radix.Root open={open} onOpenChange={setOpen}>
        <Radix.Trigger asChild>
          <button
            type="button"
            aria-label={riskName(risk, reasons)}
            // A press, also of a key, opens what hovering opens; left alone it would close it.
            onPointerDown={(event) => event.preventDefault()}
            onClick={(event) => {
              event.preventDefault();
              setOpen(true);
            }}
            className={cx(WORD, word)}
          >
            <Icon aria-hidden className="size-3.5" />
            {t(`shared.risk.${risk}`)}
          </button>
        </Radix.Trigger>
        {open ? (
          <Radix.Portal container={container}>
            <Radix.Content
              aria-label={reasons.map(spoken).join("; ") || t(`shared.risk.meaning.${risk}`)}
              sideOffset={6}
              collisionPadding={8}
              className="z-50 w-max max-w-[min(26rem,calc(100vw-1rem))] rounded-md border border-line bg-raised p-3 text-sm text-ink-2 shadow-3"
            >
              <Because risk={risk} reasons={reasons} command={command} />
            </Radix.Content>
          </Radix.Portal>
        ) : null}
      </Radix.Root>
    </Radix.Provider>
  );
}

function Because({
  risk,
  reasons,
  command,
}: Required<Omit<Props, "command">> & { command: string | undefined }) {
  const sorted = useMemo(() => inOrder(reasons), [reasons]);
  const marked = command !== undefined && sorted.some((reason) => reason.start !== null);
  return (
    <div className="grid gap-2">
      <p>
        <b className="font-semibold text-ink">{capital(t(`shared.risk.${risk}`))}</b>{" "}
        {t(`shared.risk.meaning.${risk}`)}
      </p>
      {marked ? (
        <div className="max-h-24 overflow-hidden rounded-sm bg-term px-2.5 py-1.5 text-xs text-term-ink">
          <CommandText onTerminal command={command} reasons={sorted} />
        </div>
      ) : null}
      {sorted.length > 0 ? (
        <ul className="grid gap-1.5">
          {sorted.map((reason) => (
            <li key={`${reason.text}:${reason.start ?? reason.fragment}`} className="flex gap-2">
              <RiskIcon risk={reason.risk} className="mt-0.5" />
              <span className="min-w-0 wrap-anywhere">
                {capital(spoken(reason))}
                {reason.fragment && !(marked && reason.start !== null) ? (
                  <span className="ml-1.5 rounded-xs bg-sunken px-1 text-xs text-ink">
                    <CommandText command={reason.fragment} />
                  </span>
                ) : null}
              </span>
            </li>
          ))}
        </ul>
      ) : null}
    </div>
  );
}
