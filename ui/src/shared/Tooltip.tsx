/** A short note on hover and on focus. Never the only place where something is said that people need. */
import { Tooltip as Radix } from "radix-ui";
import type { ReactElement, ReactNode } from "react";
import { usePortalContainer } from "./portal";

export function Tooltip({ content, children }: { content: ReactNode; children: ReactElement }) {
  return (
    <Radix.Provider delayDuration={350} skipDelayDuration={200}>
      <Radix.Root>
        <Radix.Trigger asChild>{children}</Radix.Trigger>
        <Radix.Portal container={usePortalContainer()}>
          <Radix.Content
            sideOffset={6}
            collisionPadding={8}
            className="z-50 max-w-80 rounded-sm border border-line bg-raised px-2.5 py-1.5 text-sm text-ink-2 shadow-3"
          >
            {content}
          </Radix.Content>
        </Radix.Portal>
      </Radix.Root>
    </Radix.Provider>
  );
}
