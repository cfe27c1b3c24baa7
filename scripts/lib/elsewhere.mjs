// The Rust code checked for systems that this one is not: that it compiles there. Nothing is linked, nothing is run, and
// no C is compiled. Done where the toolchain allows; where not, one line says so and it counts as no check. Where even the
// standard library has to be checked first it takes minutes, once; PLANWRIGHT_ELSEWHERE=off does without.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { debianPackages, installed } from "./machine.mjs";
import { Failed, has, must, root } from "./run.mjs";

/** What ought to compile where; of the targets one is enough. The engine puts files back by descriptors, which Windows has not. */
const SYSTEMS = [
  {
    name: "macOS",
    targets: ["x86_64-apple-darwin", "aarch64-apple-darwin"],
    crates: [
      "planwright-shell",
      "planwright-processes",
      "planwright-engine",
      "planwright-worker",
      "planwright-cli",
    ],
  },
  {
    name: "Windows",
    targets: ["x86_64-pc-windows-gnu", "x86_64-pc-windows-msvc", "x86_64-pc-windows-gnullvm"],
    crates: ["planwright-shell", "planwright-processes"],
  },
];
/** Debian's build of Rust for its browsers, recent and with the source of the standard library, which is checked along; for
 * Windows that needs the program which lists what a library of the system has. */
const DEBIAN = ["rustc-web", "rust-web-src", "binutils-mingw-w64-x86-64"];
const DEBIAN_RUSTC = "/usr/bin/rustc";

/** Checks each system that can be checked here. */
export async function elsewhere() {
  if (process.env.PLANWRIGHT_ELSEWHERE === "off") {
    console.log("Not checked, for PLANWRIGHT_ELSEWHERE is off.");
    return { passed: 0, failed: 0 };
  }
  let passed = 0;
  let source;
  for (const { name, targets, crates } of SYSTEMS) {
    const target = targets.find(hasTarget);
    // Only asked for once, and only when it is needed.
    source ??= target ? undefined : await sourceOfStd();
    if (!target && source?.missing) {
      console.log(`Not checked for ${name}: its Rust target is not installed, and ${source.missing}.`);
      continue;
    }
    await check(target ?? targets[0], crates, target ? {} : { RUSTC: DEBIAN_RUSTC, RUSTC_BOOTSTRAP: "1" });
    console.log(`Compiles for ${name} (${target ?? targets[0]}): ${crates.join(", ")}`);
    passed += 1;
  }
  return { passed, failed: 0 };
}

async function check(target, crates, env) {
  const words = [
    "check",
    "--quiet",
    "--locked",
    "--target",
    target,
    ...crates.flatMap((crate) => ["-p", crate]),
    // The reader of shell text, which the engine itself does without.
    "--features",
    "planwright-shell/reader",
  ];
  // What is only checked need not be fast.
  words.push("--config", 'profile.dev.package."*".opt-level=0');
  if (env.RUSTC) words.push("-Zbuild-std=std,panic_abort", "-Zwarnings", "--config", 'build.warnings="deny"');
  // Some packages bring C, for which there is no compiler here; nothing is linked, so one that does nothing will do.
  const name = target.replaceAll("-", "_");
  const c = { [`CC_${name}`]: "true", [`CXX_${name}`]: "true", [`AR_${name}`]: "true" };
  // Apart from the rest: another compiler's work would take the place of what is there.
  const folder = join(process.env.CARGO_TARGET_DIR ?? join(root, "target"), "elsewhere");
  await must("cargo", words, { env: { ...c, ...env, CARGO_TARGET_DIR: folder } });
}

/** Whether the usual toolchain has the standard library for a target. */
function hasTarget(target) {
  const asked = ["--print", "target-libdir", "--target", target];
  const { stdout, status } = spawnSync("rustc", asked, { cwd: root, encoding: "utf8" });
  return status === 0 && existsSync(stdout.trim());
}

/** Sees to it that Debian's Rust is there; `missing` says why it is not. */
async function sourceOfStd() {
  if (!DEBIAN.every(installed)) {
    const missing = whyNotInstalled();
    if (missing) return { missing };
    try {
      await debianPackages(DEBIAN);
    } catch (error) {
      if (!(error instanceof Failed)) throw error;
      return { missing: `Debian's ${DEBIAN.join(", ")} could not be installed` };
    }
  }
  if (!isRecent(versionOf("rustc-web"))) return { missing: "Debian's Rust is too old" };
  return {};
}

/** Only where nobody's own toolchain is touched: as root, as in a container, and beside no other Rust of Debian's. */
function whyNotInstalled() {
  if (!has("dpkg-query") || !has("apt-get")) return "this is no Debian system";
  if (process.getuid?.() !== 0) return `${DEBIAN.join(", ")} are installed only for root`;
  if (installed("rustc")) return "another Rust of Debian's is installed";
  if (!isRecent(versionOf("rustc-web"))) return `apt knows no ${DEBIAN[0]} that is recent enough`;
}

/** The version that is installed, or else the one that could be. */
function versionOf(name) {
  const { stdout } = spawnSync("apt-cache", ["policy", name], {
    encoding: "utf8",
    env: { ...process.env, LC_ALL: "C" },
  });
  const [, have] =
    /Installed: (\d+\.\d+)/.exec(stdout ?? "") ?? /Candidate: (\d+\.\d+)/.exec(stdout ?? "") ?? [];
  return have;
}

function isRecent(version) {
  const [, wanted] = /^rust-version = "(\d+\.\d+)"/m.exec(readFileSync(join(root, "Cargo.toml"), "utf8"));
  return version !== undefined && version.localeCompare(wanted, "en", { numeric: true }) >= 0;
}
