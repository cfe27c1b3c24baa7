import { toast } from "sonner";
import { afterEach, describe, expect, it } from "vitest";
import { page, userEvent } from "vitest/browser";
import { cleanup, render } from "vitest-browser-react";
import type { ErrorCode } from "@/ipc/bindings";
import { engineError } from "@/ipc/engineError";
import { FakeHost } from "@/ipc/fakeHost";
import { axeViolations } from "@/test/axe";
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
    expect(document.querySelectorAll("[data-sonner-toast] [data-action]")).toHaveLength(0);
  });
});

describe("what an error means", () => {
  const dialog = page.getByRole("dialog");

  it("stands a click away from the error, and the whole page behind it", async () => {
    const host = await open();
    tell(host, "disk-full", "The disk is full.");
    await page.getByRole("button", { name: "What is this?" }).click();
    await expect.element(dialog).toHaveTextContent("The error's code is disk-full.");
    await expect.element(dialog).toHaveTextContent("the run goes on when there is room");
    expect(dialog.element().textContent).not.toContain("There is no session of that name");
    await page.getByRole("button", { name: "Show the whole page" }).click();
    await expect.element(dialog.getByRole("table")).toBeVisible();
    await expect.element(dialog).toHaveTextContent("There is no session of that name");
  });

  it("is in the help menu as a whole", async () => {
    await open();
    await page.getByRole("menuitem", { name: "Help" }).click();
    await page.getByRole("menuitem", { name: "When something goes wrong" }).click();
    await expect.element(dialog.getByRole("heading", { name: "By what you see" })).toBeVisible();
    expect(await axeViolations()).toEqual([]);
  });

  it("is offered by words that the composer cannot use", async () => {
    await open();
    await userEvent.fill(page.getByRole("textbox", { name: "Instructions" }), "please tidy my disk");
    await userEvent.keyboard("{Enter}");
    await page.getByRole("main").getByRole("button", { name: "What is this?" }).click();
    await expect.element(dialog).toHaveTextContent("The page has no command that was recognised.");
  });
});
