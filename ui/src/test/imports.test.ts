/* Which part of the window may know which other: the rule, as a test over every file. */
import { describe, expect, it } from "vitest";

const files = import.meta.glob<string>("/src/**/*.{ts,tsx}", {
  query: "?raw",
  import: "default",
  eager: true,
});

/** Folders of `/src/x/y/file.ts` and of what it imports, as [part, feature]. */
function place(path: string): [string, string] {
  const [part = "", feature = ""] = path.replace(/^\/src\//, "").split("/");
  return [part, feature];
}

function resolve(from: string, target: string): string | null {
  if (target.startsWith("@/")) return `/src/${target.slice(2)}`;
  if (!target.startsWith(".")) return null;
  return new URL(target, `file://${from}`).pathname;
}

/** The imports of one file that break a rule. */
function broken(path: string, text: string): string[] {
  const targets = [...text.matchAll(/(?:from|import)\s+"([^"]+)"|import\("([^"]+)"\)/g)].map(
    (match) => match[1] ?? match[2] ?? "",
  );
  const [part, feature] = place(path);
  return targets.filter((target) => {
    if (target.startsWith("@tauri-apps/")) {
      return path !== "/src/ipc/tauriHost.ts" && path !== "/src/ipc/bindings.ts";
    }
    const resolved = resolve(path, target);
    if (resolved === null) return false;
    const [toPart, toFeature] = place(resolved);
    if (part === "features") return toPart === "app" || (toPart === "features" && toFeature !== feature);
    if (part === "shared") return ["features", "app", "state"].includes(toPart);
    if (part === "state") return ["features", "app"].includes(toPart);
    if (part === "ipc") return ["features", "app"].includes(toPart);
    return false;
  });
}

describe("imports", () => {
  it("sees the files", () => {
    expect(Object.keys(files).length).toBeGreaterThan(30);
  });

  it.each(Object.entries(files))("%s keeps to its part", (path, text) => {
    expect(broken(path, text)).toEqual([]);
  });

  it("notices what breaks a rule", () => {
    expect(broken("/src/features/plan/a.ts", 'import { x } from "@/features/chat/b";')).toHaveLength(1);
    expect(broken("/src/features/plan/a.ts", 'import { x } from "../chat/b";')).toHaveLength(1);
    expect(broken("/src/features/plan/a.ts", 'import { x } from "./b";')).toHaveLength(0);
    expect(broken("/src/shared/a.ts", 'import { x } from "@/state/store";')).toHaveLength(1);
    expect(broken("/src/app/a.ts", 'import { invoke } from "@tauri-apps/api/core";')).toHaveLength(1);
    expect(broken("/src/ipc/tauriHost.ts", 'import { invoke } from "@tauri-apps/api/core";')).toHaveLength(0);
  });
});
