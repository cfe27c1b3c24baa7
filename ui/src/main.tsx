/* Starts the window on the desktop program's host, or in a browser on the one in memory. */
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app/App";
import { FakeHost } from "./ipc/fakeHost";
import { inTauri, tauriHost } from "./ipc/tauriHost";
import "./styles/main.css";

const root = document.getElementById("root");
if (root) {
  const host = inTauri() ? tauriHost() : new FakeHost();
  createRoot(root).render(
    <StrictMode>
      <App host={host} />
    </StrictMode>,
  );
}
