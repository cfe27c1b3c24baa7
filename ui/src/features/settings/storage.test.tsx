import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { page, userEvent } from "vitest/browser";
import { cleanup, render } from "vitest-browser-react";
import type { SessionSummary } from "@/ipc/bindings";
import { FakeHost, type FakeOptions } from "@/ipc/fakeHost";
import { HostContext } from "@/ipc/host";
import { createAppStore, StoreContext } from "@/state/store";
import { axeViolations } from "@/test/axe";
import { DueNotice } from "./DueNotice";
import { openSettings } from "./fixtures";

const NOW = Date.parse("2026-11-20T12:00:00Z");

function summary(id: string, title: string, more: Partial<SessionSummary> = {}): SessionSummary {
  const at = "2026-11-19T12:00:00Z";
  const standing = { status: "completed", steps: 4, stepsDone: 4, repairs: 0, damage: null } as const;
  return { id, title, cwd: "/home/ada", createdAt: at, updatedAt: at, ...standing, ...more };
}

const OLD = { createdAt: "2026-08-01T12:00:00Z", updatedAt: "2026-08-01T12:00:00Z" };
const SESSIONS = [
  summary("new", "Photo server"),
  summary("old", "Old backups", { ...OLD, stepsDone: 2 }),
  summary("draft", "Old draft", { ...OLD, status: "draft", stepsDone: 0 }),
];

async function open(options: FakeOptions = {}) {
  const { host } = await openSettings({ older: SESSIONS, now: () => NOW, ...options });
  await expect.element(table).toBeVisible();
  return host;
}

const table = page.getByRole("table", { name: "Sessions and their sizes" });
const titles = () =>
  table
    .getByRole("rowheader")
    .elements()
    .map((cell) => cell.textContent);

beforeEach(() => {
  document.documentElement.dataset.theme = "light";
});
afterEach(() => cleanup());

describe("storage", () => {
  it("lists the sessions with their sizes, the largest first", async () => {
    await open();
    expect(titles()).toEqual(["Photo server", "Old backups", "Old draft"]);
    const row = table.getByRole("row", { name: /Photo server/ });
    const cells = row.getByRole("cell").elements();
    expect(cells.slice(0, 3).map((cell) => cell.textContent)).toEqual(["48 KB", "1.2 MB", "5.9 MB"]);
    await expect.element(page.getByText(/42.0 GB are free on this disk/)).toBeVisible();
  });

  it("opens the folder", async () => {
    const host = await open();
    await page.getByRole("button", { name: "Open folder" }).click();
    expect(host.kept.opened).toBe(1);
  });

  it("deletes a session after a question, into the trash", async () => {
    const host = await open();
    await page.getByRole("button", { name: "Delete Old backups" }).click();
    await expect.element(page.getByRole("button", { name: "Cancel" })).toHaveFocus();
    await page.getByRole("button", { name: "Cancel" }).click();
    expect(titles()).toHaveLength(3);
    await page.getByRole("button", { name: "Delete Old backups" }).click();
    await page
      .getByRole("alertdialog")
      .getByRole("button", { name: /Delete/ })
      .click();
    await expect.poll(titles).toEqual(["Photo server", "Old draft"]);
    expect((await host.listSessions()).map(({ id }) => id)).not.toContain("old");
    await expect.element(page.getByText("Deleted sessions: 3.6 MB")).toBeVisible();
    await page.getByRole("button", { name: "Empty…" }).click();
    await page.getByRole("button", { name: "Remove for good" }).click();
    await expect.element(page.getByText("Deleted sessions: 0 KB")).toBeVisible();
    await expect.element(page.getByRole("button", { name: "Empty…" })).toBeDisabled();
  });

  it("tells what a rule would clear, and clears it only when told to", async () => {
    const host = await open();
    await page.getByRole("textbox", { name: "Keep finished sessions for, days" }).fill("30");
    await userEvent.keyboard("{Enter}");
    await expect.element(page.getByText("1 session (3.6 MB) is kept no longer by your rule")).toBeVisible();
    expect((await host.getSettings()).keepDays).toBe(30);
    expect(titles()).toHaveLength(3);
    await page.getByRole("button", { name: "Clear…" }).click();
    await expect.element(page.getByRole("list", { name: "What would go" })).toHaveTextContent(/Old backups/);
    await page.getByRole("button", { name: "Clear for good" }).click();
    await expect.poll(titles).toEqual(["Photo server", "Old draft"]);
    await expect.element(page.getByText(/kept no longer/)).not.toBeInTheDocument();
  });

  it("takes no rule that means nothing", async () => {
    const host = await open();
    const megabytes = page.getByRole("textbox", { name: "Keep at most, MB" });
    await megabytes.fill("0");
    await userEvent.keyboard("{Enter}");
    await expect.element(page.getByText("Choose a number from 1 to 1000000.")).toBeVisible();
    expect((await host.getSettings()).keepMib ?? null).toBeNull();
    await megabytes.fill("500");
    await userEvent.keyboard("{Enter}");
    await expect.poll(async () => (await host.getSettings()).keepMib).toBe(500);
  });

  it.each(["light", "dark", "contrast"])("has nothing for axe to find in %s", async (theme) => {
    document.documentElement.dataset.theme = theme;
    await open({ settings: { keepDays: 30 } });
    await expect.element(page.getByText(/kept no longer/)).toBeVisible();
    expect(await axeViolations()).toEqual([]);
    await page.getByRole("button", { name: "Clear…" }).click();
    await expect.element(page.getByRole("alertdialog")).toBeVisible();
    expect(await axeViolations()).toEqual([]);
  });
});

describe("the notice of what a rule no longer keeps", () => {
  async function start(options: FakeOptions) {
    const host = new FakeHost({ speed: 1000, older: SESSIONS, now: () => NOW, ...options });
    const store = createAppStore(host);
    store.getState().start();
    await render(
      <HostContext value={host}>
        <StoreContext value={store}>
          <footer>
            <DueNotice />
          </footer>
        </StoreContext>
      </HostContext>,
    );
    return { host, store };
  }
  const notice = page.getByRole("button", { name: "1 session is past your rule" });

  it("is there from the start, leads to the storage, and clears nothing", async () => {
    const { host, store } = await start({ settings: { keepDays: 30 } });
    await expect.element(notice).toBeVisible();
    await userEvent.tab();
    await expect.element(notice).toHaveFocus();
    await userEvent.keyboard("{Enter}");
    expect(store.getState()).toMatchObject({ page: "settings", settingsPart: "storage" });
    expect(await host.listSessions()).toHaveLength(SESSIONS.length);
  });

  it("is gone once that was cleared", async () => {
    const { host, store } = await start({ settings: { keepDays: 30 } });
    await notice.click();
    await host.clearDue((await host.storage()).due);
    store.getState().show("session");
    await expect.element(notice).not.toBeInTheDocument();
  });

  it("does not so much as look without a rule", async () => {
    let looked = 0;
    const { host } = await start({});
    const storage = host.storage.bind(host);
    host.storage = () => {
      looked += 1;
      return storage();
    };
    await expect.poll(async () => (await host.getSettings()).keepDays ?? null).toBeNull();
    await expect.element(page.getByRole("button")).not.toBeInTheDocument();
    expect(looked).toBe(0);
  });
});
