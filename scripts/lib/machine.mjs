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
  "curl",
  "less",
  "nano",
  "openssh-client",
  "procps",
  "sudo",
];
/** What is started where it is there and missed nowhere: pip asks one for the system's name, cargo another whose folder it is in. */
const OPTIONAL = ["lsb-release", "mercurial"];

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

/**
 * Of the programs at `paths` those whose Debian package may be missing: it is neither among `names` nor needed by them, not every Debian
 * has it, the user does not bring it, and it is not optional. What belongs to no package is a toolchain's, or the project made it.
 */
export function uninstalled(paths, names) {
  const owners = ownersOf(paths);
  const brought = ownersOf([process.execPath, "/usr/bin/npm", "/usr/bin/cargo"]).values();
  const there = closure([...names, ...OPTIONAL, "apt", ...brought]);
  return [...owners].filter(([, name]) => !there.has(name)).map(([path, name]) => ({ path, name }));
}

/** Which Debian package each file belongs to, for those that belong to one. */
function ownersOf(paths) {
  // Before `/bin` became a link to `/usr/bin` a package had its programs there, and the list of its files says so still.
  const asked = paths.flatMap((path) => [path, path.replace(/^\/usr\/(?=s?bin\/|lib)/, "/")]);
  const { stdout } = spawnSync("dpkg-query", ["--search", ...new Set(asked)], { encoding: "utf8" });
  const found = new Map();
  for (const line of stdout?.split("\n") ?? []) {
    const [, name, path] = /^([a-z0-9.+-]+)(?::\w+)?(?:, .*)?: (\/.*)$/.exec(line) ?? [];
    if (name) found.set(paths.includes(path) ? path : `/usr${path}`, name);
  }
  return found;
}

/** The packages that are there where those of `names` are: they, what every Debian has, and all that these need. */
function closure(names) {
  const fields = ["Package", "Essential", "Priority", "Provides", "Pre-Depends", "Depends"];
  const format = `${fields.map((field) => `\${${field}}`).join("\t")}\n`;
  const { stdout } = spawnSync("dpkg-query", ["--show", `--showformat=${format}`], {
    encoding: "utf8",
    maxBuffer: 64 << 20,
  });
  const words = (list) =>
    list.split(",").map((one) => one.split("|").map((name) => /[a-z0-9.+-]*/.exec(name.trim())[0]));
  const needs = new Map();
  const providers = new Map();
  const wanted = [...names];
  for (const line of stdout?.split("\n").filter(Boolean) ?? []) {
    const [name, essential, priority, provides, ...depends] = line.split("\t");
    needs.set(name, words(depends.join(",")));
    for (const [other] of words(provides)) providers.set(other, [...(providers.get(other) ?? []), name]);
    if (essential === "yes" || priority === "required") wanted.push(name);
  }
  const there = new Set();
  while (wanted.length > 0) {
    const name = wanted.pop();
    if (there.has(name)) continue;
    there.add(name);
    // Of alternatives the installer takes the first that it can have.
    for (const choices of needs.get(name) ?? []) {
      const [first] = choices.flatMap((choice) =>
        needs.has(choice) ? [choice] : (providers.get(choice) ?? []),
      );
      if (first) wanted.push(first);
    }
  }
  return there;
}
