// `npm run build`: the release, as a Debian package in target/release/bundle.
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { pages } from "./lib/build.mjs";
import { BUILD, debianPackages, npmPackages, toolchains } from "./lib/machine.mjs";
import { main, must, part, root } from "./lib/run.mjs";

/** The programs that stand beside the window's. */
const BESIDE = ["planwright-worker", "planwright-cli"];

await main(async () => {
  toolchains();
  await part("Getting ready", async () => {
    await debianPackages(BUILD);
    await npmPackages();
  });
  await part("Building the pages", pages);
  await part("Building the programs (some minutes)", () =>
    must("cargo", ["build", "--workspace", "--bins", "--release"]),
  );
  await part("Bundling", async () => {
    placeBeside();
    await must("npx", ["tauri", "build", "--config", "src-tauri/tauri.bundle.conf.json"]);
  });
  console.log("\nThe package is in target/release/bundle/deb.");
});

/** The bundler takes programs by their name and the machine they are for. */
function placeBeside() {
  const { stdout } = spawnSync("rustc", ["--print", "host-tuple"], { encoding: "utf8" });
  const folder = join(root, "src-tauri/programs");
  mkdirSync(folder, { recursive: true });
  for (const name of BESIDE) {
    copyFileSync(join(root, "target/release", name), join(folder, `${name}-${stdout.trim()}`));
  }
}
