import axe from "axe-core";
import { toast } from "sonner";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { page, userEvent } from "vitest/browser";
import { cleanup, render } from "vitest-browser-react";
import type { Grant, Theme } from "@/ipc/bindings";
import { waitingSession } from "@/ipc/demo/safety";
import { FakeHost, type FakeOptions } from "@/ipc/fakeHost";
import { App } from "./App";

const PAGE = "# Tidy up\n\n```sh\nls\ndu -sh .\n```\n";

const GRANT: Grant = {
  id: "g",
  allow: true,
  rule: { type: "program", words: ["git", "fetch"] },
  lifetime: "always",
  boundTo: "",
  createdAt: "2026-03-01T12:00:00Z",
  lastUsedAt: null,
};

async function open(options: FakeOptions = {}): Promise<FakeHost> {
  const host = new FakeHost({ speed: 200, settings: { theme: "light" }, ...options });
  await render(<App host={host} />);
  await expect.element(page.getByRole("heading", { name: "What should get done?" })).toBeVisible();
  return host;
}

async function violations(): Promise<string[]> {
  // Colours that are still on their way would be measured half-way.
  await new Promise((done) => setTimeout(done, 400));
  const ending = document
    .getAnimations()
    .filter((one) => one.effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY);
  await Promise.allSettled(ending.map((one) => one.finished));
  const { violations: found } = await axe.run(document, { rules: { region: { enabled: false } } });
  return found.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join("\n")}`);
}

beforeEach(async () => {
  localStorage.clear();
  await page.viewport(1360, 860);
});
afterEach(async () => {
  // Toasts live outside the page that showed them.
  toast.dismiss();
  await expect.poll(() => document.querySelectorAll("[data-sonner-toast]").length).toBe(0);
  cleanup();
});

describe("the first minute", () => {
  it("makes a plan of pasted text", async () => {
    await open();
    await userEvent.fill(page.getByRole("textbox", { name: "Instructions" }), PAGE);
    await userEvent.keyboard("{Enter}");
    await expect.element(page.getByText("I read 2 steps from pasted text.", { exact: false })).toBeVisible();
    await expect.element(page.getByRole("heading", { name: "Tidy up" })).toBeVisible();
  });

  it("keeps words that hold no command, and says why", async () => {
    await open();
    const box = page.getByRole("textbox", { name: "Instructions" });
    await userEvent.fill(box, "please tidy my disk");
    await userEvent.keyboard("{Enter}");
    await expect
      .element(page.getByRole("alert"))
      .toHaveTextContent("Without a model Planwright follows pages");
    await expect.element(box).toHaveValue("please tidy my disk");
  });

  it("opens a chosen file, and does nothing when the dialog is closed", async () => {
    const host = await open();
    host.nextRunbook = null;
    await page.getByRole("button", { name: "Follow a page" }).click();
    await expect.element(page.getByRole("heading", { name: "What should get done?" })).toBeVisible();
    host.nextRunbook = "/w/INSTALL.md";
    await page.getByRole("button", { name: "Follow a page" }).click();
    await expect.element(page.getByText("INSTALL.md", { exact: true })).toBeVisible();
  });

  it("works in the chosen folder, and shows which", async () => {
    const host = await open();
    await page.getByRole("button", { name: /^Works in ~\./ }).click();
    await expect.element(page.getByRole("button", { name: /^Works in ~\/projects/ })).toBeVisible();
    await userEvent.fill(page.getByRole("textbox", { name: "Instructions" }), PAGE);
    await userEvent.keyboard("{Enter}");
    await expect.element(page.getByRole("heading", { name: "Tidy up" })).toBeVisible();
    const [newest] = await host.listSessions("Tidy up");
    expect(newest?.cwd).toBe("/home/ada/projects");
  });

  it("tries an example", async () => {
    await open();
    await page.getByRole("button", { name: "Try an example" }).click();
    await page.getByRole("button", { name: "Photo server" }).click();
    await expect.element(page.getByText("7 commands")).toBeVisible();
  });

  it("takes a dropped file and shows what is wrong with another", async () => {
    const host = await open();
    host.hoverFiles(true);
    await expect.element(page.getByText("Drop to make a plan")).toBeVisible();
    host.hoverFiles(false);
    host.dropFiles(["/w/photo.jpg"]);
    await expect.element(page.getByText("This file is not text.", { exact: false })).toBeVisible();
    host.dropFiles(["/w/INSTALL.md"]);
    await expect.element(page.getByText("7 commands")).toBeVisible();
  });
});

describe("an engine that cannot open its record", () => {
  it("says so until it can", async () => {
    const host = new FakeHost({ settings: { theme: "light" } });
    const appInfo = host.appInfo.bind(host);
    host.appInfo = () =>
      Promise.reject({ code: "data-folder-read-only", message: "The folder is read-only." });
    await render(<App host={host} />);
    await expect.element(page.getByRole("alert")).toHaveTextContent("The folder is read-only.");
    expect(await violations()).toEqual([]);
    host.appInfo = appInfo;
    await page.getByRole("button", { name: "Try again" }).click();
    await expect.element(page.getByRole("heading", { name: "What should get done?" })).toBeVisible();
  });
});

describe("sessions", () => {
  it("finds the commands by typing", async () => {
    await open();
    await userEvent.keyboard("{Control>}k{/Control}");
    await userEvent.keyboard("permissions{Enter}");
    await expect.element(page.getByRole("heading", { name: "Permissions" })).toBeVisible();
  });

  it("deletes only after the question", async () => {
    await open();
    const more = page.getByRole("button", { name: "More for Free disk space" });
    await more.click();
    await page.getByRole("menuitem", { name: "Delete…" }).click();
    await expect.element(page.getByRole("button", { name: "Cancel" })).toHaveFocus();
    await userEvent.keyboard("{Enter}");
    await expect.element(more).toBeInTheDocument();
    await more.click();
    await page.getByRole("menuitem", { name: "Delete…" }).click();
    await page.getByRole("button", { name: "Delete session" }).click();
    await expect.element(more).not.toBeInTheDocument();
  });

  it("renames", async () => {
    const host = await open();
    await page.getByRole("button", { name: /^Free disk space/ }).click();
    await userEvent.keyboard("{F2}");
    await expect.element(page.getByRole("textbox", { name: "Name" })).toHaveFocus();
    await userEvent.keyboard("More room");
    await userEvent.keyboard("{Enter}");
    await expect.element(page.getByRole("button", { name: /^More room/ })).toBeVisible();
    expect(host.submitted.map(({ command }) => command.type)).toEqual(["rename"]);
  });

  it("heals after a gap in the events", async () => {
    const host = await open();
    await page.getByRole("button", { name: /^Free disk space/ }).click();
    await expect.element(page.getByRole("heading", { name: "Free disk space" })).toBeVisible();
    const state = host.session("demo-disk");
    host.put({ ...state, title: "Healed", plan: state.plan && { ...state.plan, title: "Healed" }, seq: 40 });
    const event = { type: "session-renamed", title: "Healed" } as const;
    host.publish([{ type: "event", record: { sessionId: "demo-disk", seq: 40, at: host.time(), event } }]);
    await expect.element(page.getByRole("heading", { name: "Healed" })).toBeVisible();
  });
});

describe("the whole story", () => {
  it("runs, mends itself, asks, ends and reports", async () => {
    const host = await open({ settings: { theme: "light", defaultMode: "agentic" }, speed: 10 });
    await page.getByRole("button", { name: "Follow a page" }).click();
    await page.getByRole("button", { name: "Run 7 steps" }).click();
    await expect.element(page.getByRole("alertdialog")).toBeVisible();
    // Keys within the first 350 ms are swallowed, so that nothing typed in passing can answer.
    await new Promise((done) => setTimeout(done, 500));
    await userEvent.keyboard("{Control>}{Enter}{/Control}");
    await expect.element(page.getByText("8 steps are done, 1 repair.")).toBeVisible();
    await expect.element(page.getByText(/You allowed “Install the headers/)).toBeVisible();
    expect(host.submitted.map(({ command }) => command.type)).toEqual(["confirm", "start", "answer"]);
    await page.getByRole("button", { name: "Report", exact: true }).click();
    await expect.element(page.getByRole("dialog", { name: "Report" })).toHaveTextContent("9 attempts.");
    await page.getByRole("button", { name: "Save as Markdown…" }).click();
    await page.getByRole("button", { name: "Save as web page…" }).click();
    await expect
      .poll(() =>
        host.saved.map(({ title, ending, text }) => [
          `${title}.${ending}`,
          text.startsWith("<!doctype html>"),
        ]),
      )
      .toEqual([
        ["report.md", false],
        ["report.html", true],
      ]);
  });

  it("explains each step in Teacher mode and runs it by hand", async () => {
    const host = await open({ settings: { theme: "light", defaultMode: "teacher" }, speed: 10 });
    await page.getByRole("button", { name: "Follow a page" }).click();
    await userEvent.keyboard("{F5}");
    await page.getByRole("button", { name: /Run this step/ }).click();
    await expect
      .poll(() => host.submitted.map(({ command }) => command.type))
      .toEqual(["confirm", "start", "run-step"]);
    await expect
      .element(page.getByText("copies a repository with its whole history into a new folder"))
      .toBeVisible();
  });

  it("acts on no shortcut behind a question", async () => {
    const host = await open({ settings: { theme: "light", defaultMode: "agentic" }, speed: 10 });
    await page.getByRole("button", { name: "Follow a page" }).click();
    await userEvent.keyboard("{F5}");
    await expect.element(page.getByRole("alertdialog")).toBeVisible();
    await userEvent.keyboard("{F6}{Control>}n{/Control}");
    await expect.element(page.getByRole("alertdialog")).toBeVisible();
    expect(host.submitted.map(({ command }) => command.type)).toEqual(["confirm", "start"]);
  });
});

describe("settings and permissions", () => {
  it("saves what is changed, and refuses a limit that cannot be meant", async () => {
    const host = await open();
    await userEvent.keyboard("{Control>},{/Control}");
    await page.getByRole("radio", { name: "High contrast" }).click();
    await expect.poll(() => document.documentElement.dataset.theme).toBe("contrast");
    const limit = page.getByRole("textbox", { name: "Time for one step, minutes" });
    await userEvent.fill(limit, "never");
    await userEvent.keyboard("{Enter}");
    await expect.element(page.getByRole("alert")).toHaveTextContent("from 1 to 1440");
    await userEvent.fill(limit, "5");
    await userEvent.keyboard("{Enter}");
    await expect.poll(async () => (await host.getSettings()).wallSeconds).toBe(300);
  });

  it("shows rules literally and takes them back", async () => {
    const host = await open({ grants: [GRANT] });
    await page.getByRole("button", { name: "Permissions" }).click();
    await expect.element(page.getByText("git fetch", { exact: true })).toBeVisible();
    await page.getByRole("button", { name: "Take back the rule for git fetch" }).click();
    await expect.element(page.getByText("No rules yet")).toBeVisible();
    expect(await host.grants()).toEqual([]);
  });
});

describe("a question of a session that is not shown", () => {
  it("waits as a card at home, is answered there, and leads on to the next", async () => {
    const host = await open({ sessions: [waitingSession(Date.now())] });
    const card = page.getByRole("region", { name: "A call waits for your answer" });
    await expect.element(card).toHaveTextContent("In the session “Clean up the thumbnails”");
    await card.getByRole("button", { name: "Review" }).click();
    const dialog = page.getByRole("alertdialog");
    await expect.element(dialog.getByText("1 of 2")).toBeVisible();
    await expect.element(dialog.getByText(/^Forecast: 215 files deleted/)).toBeVisible();
    await new Promise((done) => setTimeout(done, 420));
    await dialog.getByRole("button", { name: "Don't run" }).click();
    await expect.element(dialog.getByText("2 of 2")).toBeVisible();
    await new Promise((done) => setTimeout(done, 420));
    await dialog.getByRole("button", { name: "Never allow" }).click();
    await expect.element(dialog).not.toBeInTheDocument();
    expect(host.session("demo-waiting").approvals).toEqual([]);
    expect((await host.grants()).map(({ allow, rule }) => ({ allow, rule }))).toEqual([
      { allow: false, rule: { type: "exact", command: "git fetch origin" } },
    ]);
  });
});

describe("narrow windows", () => {
  it("lets the parts take turns", async () => {
    await open();
    await page.getByRole("button", { name: "Follow a page" }).click();
    await page.viewport(700, 860);
    await page.getByRole("button", { name: "Plan", exact: true }).click();
    await expect.element(page.getByRole("heading", { name: "Set up the photo server" })).toBeVisible();
    await page.getByRole("button", { name: "Sessions", exact: true }).click();
    await expect.element(page.getByRole("button", { name: "New session" })).toBeVisible();
  });
});

describe.each(["light", "dark", "contrast"] satisfies Theme[])("accessibility, %s", (theme) => {
  it("home", async () => {
    await open({ settings: { theme } });
    expect(await violations()).toEqual([]);
  });

  it("a session that runs", async () => {
    await open({ settings: { theme, defaultMode: "agentic" }, speed: 4 });
    await page.getByRole("button", { name: "Follow a page" }).click();
    await userEvent.keyboard("{F5}");
    await expect.element(page.getByText("Plan revised", { exact: false }).first()).toBeVisible();
    expect(await violations()).toEqual([]);
  });

  it("settings and permissions", async () => {
    await open({ settings: { theme }, grants: [GRANT] });
    await page.getByRole("button", { name: "Settings" }).click();
    expect(await violations()).toEqual([]);
    await page.getByRole("button", { name: "Permissions" }).click();
    expect(await violations()).toEqual([]);
  });
});
