/** The settings page with a host in memory behind it. */
import { Toaster } from "sonner";
import { render } from "vitest-browser-react";
import { FakeHost, type FakeOptions } from "@/ipc/fakeHost";
import { HostContext } from "@/ipc/host";
import { createAppStore, StoreContext } from "@/state/store";
import { SettingsPage } from "./SettingsPage";

export async function openSettings(options: FakeOptions) {
  const host = new FakeHost({ speed: 1000, ...options });
  const store = createAppStore(host);
  const stop = store.getState().start();
  await render(
    <HostContext value={host}>
      <StoreContext value={store}>
        <div style={{ height: 860 }} className="flex">
          <SettingsPage />
        </div>
        <Toaster />
      </StoreContext>
    </HostContext>,
  );
  return { host, store, stop };
}
