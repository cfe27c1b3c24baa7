// Starts the real program under WebDriver, and ends it: by closing its window, or as a power cut would.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { connect, createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { remote } from "webdriverio";
import { display, programOf } from "./desk.mjs";
import { until } from "./until.mjs";

export const PROGRAM =
  process.env.PLANWRIGHT_E2E_PROGRAM ??
  fileURLToPath(new URL("../../../target/debug/planwright", import.meta.url));

/** One run of the program. */
export class App {
  #driver;

  static async open(desk) {
    if (!existsSync(PROGRAM))
      throw new Error(`${PROGRAM} is not built. Run npm test from the project's folder.`);
    const app = new App();
    app.desk = desk;
    const port = await freePort();
    app.#driver = spawn("WebKitWebDriver", [`--port=${port}`], {
      env: {
        ...desk.environment(await display()),
        TAURI_AUTOMATION: "true",
        TAURI_WEBVIEW_AUTOMATION: "true",
      },
      stdio: ["ignore", "ignore", process.env.PLANWRIGHT_E2E_LOG ? "inherit" : "ignore"],
    });
    await listening(port);
    app.browser = await remote({
      hostname: "127.0.0.1",
      port,
      path: "/",
      logLevel: "error",
      connectionRetryCount: 0,
      capabilities: {
        browserName: "wry",
        "wdio:enforceWebDriverClassic": true,
        "webkitgtk:browserOptions": { binary: PROGRAM, args: [] },
      },
    });
    return app;
  }

  #process() {
    return this.desk.processes().find((pid) => programOf(pid) === PROGRAM);
  }

  /** The program's own process. */
  pid() {
    const found = this.#process();
    if (found === undefined) throw new Error("The program does not run.");
    return found;
  }

  runs() {
    return this.#process() !== undefined;
  }

  /** Ends the program at once, as `kill -9` does, and nothing else: what it started has to notice by itself. */
  async kill() {
    process.kill(this.pid(), "SIGKILL");
    await this.#endDriver();
  }

  async close() {
    await this.browser.deleteSession().catch(() => undefined);
    // The driver answers before the program is gone, and one that lives on takes the next start's place.
    await until("the program's end", () => !this.runs());
    await this.#endDriver();
  }

  async #endDriver() {
    if (this.#driver.exitCode !== null || this.#driver.signalCode !== null) return;
    const ended = new Promise((resolve) => this.#driver.once("close", resolve));
    this.#driver.kill("SIGKILL");
    await ended;
  }
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

async function listening(port) {
  for (let tries = 0; tries < 200; tries += 1) {
    const up = await new Promise((resolve) => {
      const socket = connect(port, "127.0.0.1");
      socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
      socket.once("close", () => socket.destroy());
    });
    if (up) return;
    await sleep(25);
  }
  throw new Error("WebKitWebDriver did not start.");
}
