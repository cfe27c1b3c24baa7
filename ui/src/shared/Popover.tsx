/** A small floating panel beside the part that opened it. */
import { Popover as Radix } from "radix-ui";
import type { ReactElement, ReactNode } from "react";
import { usePortalContainer } from "./portal";

type Props = {
  trigger: ReactElement;
  label: string;
  children: ReactNode;
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
};

export function Popover({ trigger, label, children, ...state }: Props) {
  return (
    <Radix.Root {...state}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal container={usePortalContainer()}>
        <Radix.Content
          aria-label={label}
          sideOffset={6}
          collisionPadding={8}
          className="z-50 max-w-[min(32rem,calc(100vw-1rem))] rounded-md border border-line bg-raised p-3 text-sm shadow-3"
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
