/** A modal dialog: named, described, closed by Escape; focus goes back to where it was. */
import { X } from "lucide-react";
import { Dialog as Radix } from "radix-ui";
import { type ReactNode, type RefObject, useRef } from "react";
import { t } from "@/i18n";
import { IconButton } from "./Button";
import { cx } from "./cx";

const WIDTHS = { sm: "w-[26rem]", md: "w-[40rem]", lg: "w-[60rem]" };

type Props = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: ReactNode;
  description?: ReactNode;
  size?: keyof typeof WIDTHS;
  children: ReactNode;
  /** Buttons, right-aligned under the body. */
  footer?: ReactNode;
  /** What has the focus first; without it the dialog itself. */
  firstFocus?: RefObject<HTMLElement | null> | undefined;
};

export function Dialog({
  open,
  onOpenChange,
  title,
  description,
  size = "md",
  children,
  footer,
  firstFocus,
}: Props) {
  const cameFrom = useRef<Element | null>(null);
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-scrim" />
        <Radix.Content
          {...(description ? {} : { "aria-describedby": undefined })}
          onOpenAutoFocus={(event) => {
            // The dialog itself, not its close button: nothing is highlighted before anyone has chosen it.
            cameFrom.current = document.activeElement;
            event.preventDefault();
            const first = firstFocus?.current ?? event.currentTarget;
            if (first instanceof HTMLElement) first.focus();
          }}
          onCloseAutoFocus={(event) => {
            // Opened by state, without a trigger of its own, so the place to return to is kept here.
            event.preventDefault();
            if (cameFrom.current instanceof HTMLElement) cameFrom.current.focus();
          }}
          className={cx(
            "fixed top-1/2 left-1/2 z-40 flex max-h-[calc(100dvh-2rem)] max-w-[calc(100vw-2rem)] -translate-x-1/2 -translate-y-1/2 flex-col rounded-lg border border-line bg-raised text-md shadow-3 outline-none",
            WIDTHS[size],
          )}
        >
          <header className="flex items-start gap-3 px-5 pt-4 pb-3">
            <div className="min-w-0 flex-1">
              <Radix.Title className="text-lg font-semibold text-ink">{title}</Radix.Title>
              {description ? (
                <Radix.Description className="mt-0.5 text-ink-2">{description}</Radix.Description>
              ) : null}
            </div>
            <Radix.Close asChild>
              <IconButton label={t("shared.close")}>
                <X aria-hidden />
              </IconButton>
            </Radix.Close>
          </header>
          <div className="min-h-0 flex-1 overflow-auto px-5 pb-5">{children}</div>
          {footer ? (
            <footer className="flex flex-wrap items-center justify-end gap-2 border-t border-line px-5 py-3">
              {footer}
            </footer>
          ) : null}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
