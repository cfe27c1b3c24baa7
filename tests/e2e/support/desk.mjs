// A desk for one test: folders that nobody else uses, and a screen that nobody sees. All of it is gone afterwards.
import { spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";

/** A session bus that starts no services: a desktop's portals would mount folders of their own. */
const BUS = `<busconfig>
  <type>session</type>
  <listen>unix:tmpdir=/tmp</listen>
  <policy context="default">
    <allow send_destination="*"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
`;

/** Folders for one test, below one that is removed at its end. */
export class Desk {
  #bus;

  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), "planwright-e2e-"));
    /** The user's home folder. */
    this.home = this.make("home");
    /** The program's data folder. */
    this.data = join(this.folder, "data");
    /** A folder to work in. */
    this.work = this.make("work");
    /** What the program's environment has besides, such as a model's address. */
    this.variables = {};
  }

  make(name) {
    const path = join(this.folder, name);
    mkdirSync(path, { recursive: true });
    return path;
  }

  /** Writes a file below the desk; gives its path. */
  write(name, text) {
    const path = join(this.folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  }

  read(name) {
    return readFileSync(join(this.folder, name), "utf8");
  }

  has(name) {
    return existsSync(join(this.folder, name));
  }

  /** What the program is started with, and nothing of the user's own desktop. */
  environment(display) {
    return {
      PATH: process.env.PATH,
      LANG: "C.UTF-8",
      USER: process.env.USER ?? "tester",
      HOME: this.home,
      XDG_RUNTIME_DIR: this.make("runtime"),
      PLANWRIGHT_HOME: this.data,
      DISPLAY: display,
      NO_AT_BRIDGE: "1",
      GTK_THEME: "Adwaita",
      // No session bus but the desk's own, if it has one; never the tester's.
      DBUS_SESSION_BUS_ADDRESS: this.#bus ?? "disabled:",
      ...this.variables,
    };
  }

  /** Gives the desk a session bus, as a desktop has one. */
  async startBus() {
    const config = this.write("bus.conf", BUS);
    const daemon = spawn(
      "dbus-daemon",
      [`--config-file=${config}`, "--nofork", "--nopidfile", "--print-address"],
      {
        env: this.environment(""),
        stdio: ["ignore", "pipe", "ignore"],
      },
    );
    daemon.unref();
    this.#bus = await firstLine(daemon.stdout);
    daemon.stdout.unref();
  }

  /** Ids of the processes that were started at this desk and still run. */
  processes() {
    return readdirSync("/proc")
      .filter((entry) => /^\d+$/.test(entry))
      .map(Number)
      .filter((pid) => mentions(pid, this.folder));
  }

  clear() {
    for (const pid of this.processes()) end(pid);
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  }
}

/** Whether a living process has the text in its environment. */
function mentions(pid, text) {
  try {
    if (/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"))) return false;
    return readFileSync(`/proc/${pid}/environ`, "utf8").includes(text);
  } catch {
    return false;
  }
}

/** The program that a process runs. */
export function programOf(pid) {
  try {
    return readlinkSync(`/proc/${pid}/exe`);
  } catch {
    return "";
  }
}

function end(pid) {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // Gone already.
  }
}

let screen;

/** The display to open windows on: one made for this process, or the one that PLANWRIGHT_E2E_DISPLAY names, to watch. */
export function display() {
  screen ??= process.env.PLANWRIGHT_E2E_DISPLAY
    ? Promise.resolve(process.env.PLANWRIGHT_E2E_DISPLAY)
    : startScreen();
  return screen;
}

async function startScreen() {
  const xvfb = spawn("Xvfb", ["-displayfd", "1", "-screen", "0", "1440x900x24", "-nolisten", "tcp"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  process.on("exit", () => xvfb.kill());
  xvfb.unref();
  const failed = new Promise((_, reject) => xvfb.on("error", reject));
  const number = await Promise.race([failed, firstLine(xvfb.stdout)]);
  xvfb.stdout.unref();
  return `:${number}`;
}

async function firstLine(stream) {
  for await (const line of createInterface({ input: stream })) return line.trim();
  throw new Error("Xvfb ended before it named its display.");
}
