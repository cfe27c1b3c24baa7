import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { page, userEvent } from "vitest/browser";
import { cleanup, render } from "vitest-browser-react";
import { FakeHost } from "@/ipc/fakeHost";
import { axeViolations } from "@/test/axe";
import { App } from "./App";

/** The demonstration, run to its end without a pause. */
async function ran(): Promise<FakeHost> {
  const host = new FakeHost({ speed: 500, settings: { theme: "light", defaultMode: "agentic" } });
  await render(<App host={host} />);
  await page.getByRole("button", { name: "Follow a page" }).click();
  await page.getByRole("button", { name: "Run 7 steps" }).click();
  const dialog = page.getByRole("alertdialog");
  await expect.element(dialog).toBeVisible();
  // Keys and clicks that were on their way count for nothing.
  await new Promise((done) => setTimeout(done, 500));
  await dialog.getByRole("button", { name: "Run once" }).click();
  await expect.element(page.getByRole("button", { name: "Undo this run" })).toBeVisible();
  return host;
}

const undos = (host: FakeHost) =>
  host.submitted.flatMap(({ command }) => (command.type === "undo" ? [command.target] : []));

beforeEach(async () => {
  localStorage.clear();
  await page.viewport(1360, 860);
});
afterEach(() => cleanup());

describe("undo in the window", () => {
  it("is told where it was done and in a toast, and is taken back from there", async () => {
    const host = await ran();
    await expect.element(page.getByText("3 steps can be undone")).toBeVisible();
    await page.getByRole("button", { name: "Undo this run" }).click();
    await page.getByRole("button", { name: "Undo 5 changes" }).click();
    await expect.element(page.getByText("5 files moved to the trash.").first()).toBeVisible();
    await expect.element(page.getByText("Undone: the run")).toBeVisible();
    await expect.element(page.getByText("steps can be undone")).not.toBeInTheDocument();
    expect(await axeViolations()).toEqual([]);
    await page.getByRole("listitem").getByRole("button", { name: "Undo this" }).click();
    await expect.element(page.getByRole("heading", { name: "Take back the undo" })).toBeVisible();
    await page.getByRole("button", { name: "Undo 5 changes" }).click();
    await expect.element(page.getByText("An undo was taken back")).toBeVisible();
    expect(undos(host).map((target) => target.type)).toEqual(["plan", "undo"]);
    await expect.element(page.getByText("taken back later")).toBeVisible();
    await expect.element(page.getByText("3 steps can be undone")).toBeVisible();
  });

  it("is in the palette and on a key, and says why it makes no sense", async () => {
    await ran();
    await userEvent.keyboard("{Control>}k{/Control}");
    await expect.element(page.getByText("Nothing was undone.")).toBeVisible();
    await page.getByRole("option", { name: /Undo what the run changed/ }).click();
    await expect.element(page.getByRole("heading", { name: "Undo this run" })).toBeVisible();
    await userEvent.keyboard("{Escape}");
    await expect.element(page.getByRole("dialog")).not.toBeInTheDocument();
    await userEvent.keyboard("{Control>}{Alt>}z{/Alt}{/Control}");
    await expect.element(page.getByRole("heading", { name: "Undo this run" })).toBeVisible();
  });

  it("is reached from the report and from a revision", async () => {
    await ran();
    await page.getByRole("button", { name: "Report" }).click();
    const report = page.getByRole("dialog", { name: "Report" });
    await report.getByRole("button", { name: "Undo this run" }).click();
    await expect.element(page.getByRole("dialog", { name: "Undo this run" })).toBeVisible();
    await userEvent.keyboard("{Escape}");
    await page.getByRole("button", { name: "Back to the start of r2…" }).click();
    await expect.element(page.getByRole("heading", { name: "Back to the start of r2" })).toBeVisible();
  });

  it("from an empty window is not there, and says why", async () => {
    await render(<App host={new FakeHost({ settings: { theme: "light" } })} />);
    await expect.element(page.getByRole("heading", { name: "What should get done?" })).toBeVisible();
    await userEvent.keyboard("{Control>}k{/Control}");
    const option = page.getByRole("option", { name: /Undo what the run changed/ });
    await expect.element(option).toHaveAttribute("aria-disabled", "true");
    await expect.element(option).toHaveTextContent("Nothing has run yet.");
  });
});
