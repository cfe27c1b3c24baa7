// What the machine must have: Debian packages, Rust, Node, the npm packages. Installs what can be installed and says so.
import { spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { Failed, has, must, root } from "./run.mjs";

/** To build the window. */
export const BUILD = ["build-essential", "cmake", "pkg-config", "libwebkit2gtk-4.1-dev", "librsvg2-dev"];
/** What the bundled examples and the tests of the engine run. */
export const EXAMPLES = ["bash", "git", "python3", "python3-venv"];
/** To drive the window, and the parts of it in Chromium, without a screen. */
export const TESTS = [
  "webkit2gtk-driver",
  "xvfb",
  "xauth",
  "dbus",
  "dunst",
  "x11-utils",
  "xdotool",
  "fonts-dejavu-core",
  "chromium",
  "nano",
];

/** Installs the Debian packages of `names` that are missing. On other systems it says what is needed and goes on. */
export async function debianPackages(names) {
  if (!has("dpkg-query") || !has("apt-get")) {
    console.log(
      `This is no Debian system. These Debian packages, or their like, have to be there: ${names.join(" ")}`,
    );
    return;
  }
  const missing = names.filter((name) => !installed(name));
  if (missing.length === 0) return;
  const asRoot = process.getuid?.() === 0 ? [] : ["sudo"];
  if (asRoot.length > 0 && !has("sudo")) {
    throw new Failed(
      `These packages are missing and there is no sudo to install them with: ${missing.join(" ")}`,
    );
  }
  console.log(`Installing Debian packages${asRoot.length > 0 ? " with sudo" : ""}: ${missing.join(" ")}`);
  const apt = async (...args) => {
    const words = [
      "env",
      "DEBIAN_FRONTEND=noninteractive",
      "apt-get",
      "-qq",
      "-o",
      "DPkg::Lock::Timeout=120",
      ...args,
    ];
    const [program, ...rest] = [...asRoot, ...words];
    await must(program, rest);
  };
  await apt("update");
  await apt("install", "--yes", "--no-install-recommends", ...missing);
}

/** Whether a Debian package is there. */
export function installed(name) {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: dpkg-query has placeholders of its own.
  const { stdout, status } = spawnSync("dpkg-query", ["-W", "-f=${db:Status-Status}", name], {
    encoding: "utf8",
  });
  return status === 0 && stdout === "installed";
}

/** Rust and Node are the two things that the user brings. */
export function toolchains() {
  const node = Number(process.versions.node.split(".")[0]);
  if (node < 20) throw new Failed(`Node 20 or newer is needed; this is ${process.versions.node}.`);
  if (!has("cargo")) throw new Failed("Rust is missing. Install it from https://rustup.rs and try again.");
}

/** Runs `npm ci` when the packages are not there, or are older than the lock file. */
export async function npmPackages() {
  const lock = join(root, "package-lock.json");
  const have = join(root, "node_modules/.package-lock.json");
  if (existsSync(have) && statSync(have).mtimeMs >= statSync(lock).mtimeMs) return;
  console.log("Installing npm packages");
  await must("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"]);
}
