// What a desktop has besides windows, on the desk's session bus: a place for notifications, and a dock with numbers.
import { spawn, spawnSync } from "node:child_process";
import { display } from "./desk.mjs";
import { until } from "./until.mjs";

/** What is told on the bus as monitors see it, read for what docks show. */
const DOCK = "type='signal',interface='com.canonical.Unity.LauncherEntry',member='Update'";

/** A desktop's own programs; the desk ends them. */
export class Desktop {
  #environment;
  #numbers = "";

  /** The desk has a bus. */
  static async start(desk) {
    const desktop = new Desktop();
    desktop.#environment = desk.environment(await display());
    const config = desk.write("dunstrc", "[global]\nidle_threshold = 0\n");
    desktop.#spawn("dunst", ["-conf", config]);
    const dock = desktop.#spawn("dbus-monitor", ["--session", DOCK]);
    dock.stdout.on("data", (piece) => {
      desktop.#numbers += piece;
    });
    dock.stdout.unref();
    await until("the place for notifications", () => desktop.#dunst("is-paused") === "false");
    return desktop;
  }

  /** Takes the focus from every window: where nothing else gives it, it is with the pointer. */
  lookAway() {
    spawnSync("xdotool", ["mousemove", "1439", "899"], { env: this.#environment });
  }

  /** How many notifications are on the screen. */
  shown() {
    return Number(this.#dunst("count", "displayed"));
  }

  /** Clicks the newest notification, as on its text. */
  click() {
    this.#dunst("action", "0");
  }

  /** What the notifications said that are gone, newest first. */
  said() {
    const { data } = JSON.parse(this.#dunst("history"));
    return data[0].map(({ summary, body }) => `${summary.data}: ${body.data}`);
  }

  /** The number at the program's icon; null: none is shown. */
  number() {
    const told = [...this.#numbers.matchAll(/"(count|count-visible)"\s+variant\s+(?:int64|boolean) (\w+)/g)];
    const last = (name) => told.findLast(([, key]) => key === name)?.[2];
    return last("count-visible") === "true" ? Number(last("count")) : null;
  }

  #spawn(program, words) {
    const started = spawn(program, words, { env: this.#environment, stdio: ["ignore", "pipe", "ignore"] });
    started.unref();
    return started;
  }

  #dunst(...words) {
    const { stdout } = spawnSync("dunstctl", words, { env: this.#environment, encoding: "utf8" });
    return stdout.trim();
  }
}
