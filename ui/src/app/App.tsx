/* The whole window: host and store given to everything below, theme, motion, toasts, and the shell. */
import { MotionConfig } from "motion/react";
import { useEffect, useMemo } from "react";
import { Toaster } from "sonner";
import { type Host, HostContext } from "@/ipc/host";
import { HelpContext } from "@/shared/AboutError";
import { createAppStore, StoreContext, useApp } from "@/state/store";
import { Shell } from "./Shell";
import { useTheme } from "./useTheme";

export function App({ host }: { host: Host }) {
  const store = useMemo(() => createAppStore(host), [host]);
  useEffect(() => store.getState().start(), [store]);
  return (
    <HostContext value={host}>
      <StoreContext value={store}>
        <HelpContext value={store.getState().showHelp}>
          <MotionConfig reducedMotion="user">
            <Shell />
            <Toasts />
          </MotionConfig>
        </HelpContext>
      </StoreContext>
    </HostContext>
  );
}

function Toasts() {
  const theme = useTheme(useApp((store) => store.settings?.theme ?? "system"));
  return (
    <Toaster
      position="bottom-left"
      offset={{ bottom: 40, left: 16 }}
      theme={theme === "light" ? "light" : "dark"}
      closeButton
      toastOptions={{
        classNames: {
          toast: "!bg-raised !text-ink !border-line !shadow-3 !rounded-md !font-ui !text-md",
          error: "!border-danger-line",
          closeButton: "!bg-raised !text-ink-2 !border-line",
        },
      }}
    />
  );
}
