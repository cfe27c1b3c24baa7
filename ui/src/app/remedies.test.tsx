import { toast } from "sonner";
import { afterEach, describe, expect, it } from "vitest";
import { page } from "vitest/browser";
import { cleanup, render } from "vitest-browser-react";
import type { ErrorCode } from "@/ipc/bindings";
import { engineError } from "@/ipc/engineError";
import { FakeHost } from "@/ipc/fakeHost";
import { App } from "./App";

afterEach(async () => {
  // Toasts live outside the page that showed them.
  toast.dismiss();
  await expect.poll(() => document.querySelectorAll("[data-sonner-toast]").length).toBe(0);
  cleanup();
});

async function open(): Promise<FakeHost> {
  localStorage.clear();
  await page.viewport(1360, 860);
  const host = new FakeHost({ speed: 200, settings: { theme: "light" } });
  await render(<App host={host} />);
  await expect.element(page.getByRole("heading", { name: "What should get done?" })).toBeVisible();
  return host;
}

const tell = (host: FakeHost, code: ErrorCode, message: string) =>
  host.publish([{ type: "problem", sessionId: null, error: engineError(code, message) }]);

describe("errors that the settings put right", () => {
  it.each([
    ["cap-reached", "Change limits", "Limits for each session"],
    ["no-model", "Choose a model", "Models"],
    ["key-unusable", "Open key settings", "Models"],
  ] as const)("%s leads there", async (code, way, place) => {
    const host = await open();
    tell(host, code, "Something is to be done.");
    await expect.element(page.getByText("Something is to be done.")).toBeVisible();
    await page.getByRole("button", { name: way }).click();
    const section = page.getByRole("region", { name: place, exact: true });
    await expect.element(section).toBeVisible();
    const { top } = section.element().getBoundingClientRect();
    expect(top).toBeGreaterThanOrEqual(0);
    expect(top).toBeLessThan(600);
  });

  it("offers no way for what has none", async () => {
    const host = await open();
    tell(host, "disk-full", "The disk is full.");
    await expect.element(page.getByText("The disk is full.")).toBeVisible();
    expect(document.querySelectorAll("[data-sonner-toast] [data-button]")).toHaveLength(0);
  });
});
