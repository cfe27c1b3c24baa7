/* The theme that is really shown, set on <html> for the tokens. */
import { useEffect, useState } from "react";
import type { Theme } from "@/ipc/bindings";

export type ShownTheme = "light" | "dark" | "contrast";

function matches(query: string): boolean {
  return window.matchMedia(query).matches;
}

function shown(theme: Theme): ShownTheme {
  if (theme !== "system") return theme;
  if (matches("(prefers-contrast: more)")) return "contrast";
  return matches("(prefers-color-scheme: dark)") ? "dark" : "light";
}

export function useTheme(theme: Theme): ShownTheme {
  const [now, setNow] = useState<ShownTheme>(() => shown(theme));
  useEffect(() => {
    const update = () => setNow(shown(theme));
    update();
    const queries = ["(prefers-color-scheme: dark)", "(prefers-contrast: more)"].map((query) =>
      window.matchMedia(query),
    );
    for (const query of queries) query.addEventListener("change", update);
    return () => {
      for (const query of queries) query.removeEventListener("change", update);
    };
  }, [theme]);
  useEffect(() => {
    document.documentElement.dataset.theme = now;
  }, [now]);
  return now;
}
