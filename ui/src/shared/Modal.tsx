/**
 * The frame of a question: the browser's own modal dialog. It makes the page behind it inert, holds the focus and stands on
 * top without a line of script, which is what lets a question be painted within a frame or two of being known.
 */
import { type ReactNode, type RefObject, useLayoutEffect, useState } from "react";
import { cx } from "./cx";
import { PortalContainer } from "./portal";

type Props = {
  /** Ids of the parts that name and describe it. */
  titleId: string;
  descriptionId: string;
  /** Where the focus starts. */
  initialFocus: RefObject<HTMLElement | null>;
  /** Escape, except in a text field, which leaves by it first. */
  onEscape: () => void;
  className: string;
  children: ReactNode;
};

export function Modal({ titleId, descriptionId, initialFocus, onEscape, className, children }: Props) {
  const [dialog, setDialog] = useState<HTMLDialogElement | null>(null);
  // Asked while the question is first drawn: any later the focus is in here already.
  const [cameFrom] = useState(() => document.activeElement);

  useLayoutEffect(() => {
    if (!dialog) return;
    dialog.showModal();
    initialFocus.current?.focus();
    return () => {
      dialog.close();
      if (cameFrom instanceof HTMLElement) cameFrom.focus();
    };
  }, [dialog, initialFocus, cameFrom]);

  return (
    <dialog
      ref={setDialog}
      role="alertdialog"
      aria-labelledby={titleId}
      aria-describedby={descriptionId}
      // It is closed by an answer, never by itself.
      onCancel={(event) => event.preventDefault()}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || event.defaultPrevented) return;
        event.preventDefault();
        if (!(event.target instanceof HTMLTextAreaElement)) onEscape();
      }}
      className={cx(
        "m-auto flex max-h-[calc(100dvh-2rem)] max-w-[calc(100vw-2rem)] flex-col rounded-lg border border-line bg-raised text-ink shadow-3 outline-none backdrop:bg-scrim",
        className,
      )}
    >
      <PortalContainer value={dialog}>{children}</PortalContainer>
    </dialog>
  );
}
