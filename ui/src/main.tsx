/* Starts the window on the desktop program's host, or in a browser on the one in memory. */
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app/App";
import type { Host } from "./ipc/host";
import { inTauri, tauriHost } from "./ipc/tauriHost";
import "./styles/main.css";

/** The host in memory is fetched only where it is needed, so that the program does not carry it along. */
async function chooseHost(): Promise<Host> {
  if (inTauri()) return tauriHost();
  const { FakeHost } = await import("./ipc/fakeHost");
  const { demoGrants, demoPast, waitingSession } = await import("./ipc/demo/safety");
  const now = Date.now();
  return new FakeHost({
    grants: demoGrants(now),
    past: demoPast(now),
    sessions: [waitingSession(now)],
    settings: { mainModel: { provider: "local", baseUrl: "http://127.0.0.1:11434/v1", model: "qwen-coder" } },
  });
}

const root = document.getElementById("root");
if (root) {
  const host = await chooseHost();
  createRoot(root).render(
    <StrictMode>
      <App host={host} />
    </StrictMode>,
  );
}
