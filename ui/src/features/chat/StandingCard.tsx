/* How something stands that does not run: an icon, a title, a sentence, and what can be done next. */
import type { ReactNode } from "react";
import { AboutError } from "@/shared/AboutError";
import { cx } from "@/shared/cx";

const TONES = {
  done: { card: "border-line bg-bg", icon: "text-safe" },
  warn: { card: "border-line bg-caution-tint", icon: "text-caution" },
  bad: { card: "border-danger-line bg-bg", icon: "text-danger" },
  plain: { card: "border-line bg-bg", icon: "text-ink-2" },
};

type CardProps = {
  tone: keyof typeof TONES;
  icon: ReactNode;
  title: string;
  text: string;
  /** Under the text. */
  more?: ReactNode;
  /** What the troubleshooting page may explain it under. */
  code?: string;
  children?: ReactNode;
};

export function StandingCard({ tone, icon, title, text, more, code, children }: CardProps) {
  return (
    <section className={cx("flex gap-3 rounded-md border p-3", TONES[tone].card)}>
      <span className={cx("mt-0.5 shrink-0 [&>svg]:size-4", TONES[tone].icon)}>{icon}</span>
      <div className="min-w-0 flex-1">
        <h3 className="font-semibold">{title}</h3>
        <p className="text-ink-2">{text}</p>
        {more}
        {children || code ? (
          <div className="mt-2.5 flex flex-wrap items-center gap-2">
            {children}
            <AboutError code={code ?? null} />
          </div>
        ) : null}
      </div>
    </section>
  );
}
