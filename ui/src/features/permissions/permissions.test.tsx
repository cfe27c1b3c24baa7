/* The page of rules, on a host in memory. */
import { beforeEach, describe, expect, it } from "vitest";
import { page, userEvent } from "vitest/browser";
import { render } from "vitest-browser-react";
import type { GrantPreview, Theme } from "@/ipc/bindings";
import { demoGrants, demoPast } from "@/ipc/demo/safety";
import { engineError } from "@/ipc/engineError";
import { FakeHost, type FakeOptions } from "@/ipc/fakeHost";
import { HostContext } from "@/ipc/host";
import { createAppStore, StoreContext } from "@/state/store";
import { axeViolations } from "@/test/axe";
import { PermissionsPage } from "./PermissionsPage";

const now = Date.now();

async function open(options: FakeOptions = {}) {
  const host = new FakeHost({
    speed: Number.POSITIVE_INFINITY,
    grants: demoGrants(now),
    past: demoPast(now),
    ...options,
  });
  const store = createAppStore(host);
  store.getState().start();
  await store.getState().load();
  await render(
    <HostContext value={host}>
      <StoreContext value={store}>
        <PermissionsPage />
      </StoreContext>
    </HostContext>,
  );
  await expect.element(page.getByRole("heading", { name: "Permissions" })).toBeVisible();
  return { host, store };
}

const list = (name: string) => page.getByRole("list", { name });
const rules = (name: string) =>
  list(name)
    .getByRole("listitem")
    .elements()
    .map((row) => row.querySelector("code")?.textContent);

beforeEach(() => {
  document.documentElement.dataset.theme = "light";
});

describe("the page", () => {
  it("keeps what is allowed, refused and ended apart, what was used last first", async () => {
    await open();
    expect(rules("Allowed rules")).toEqual(["edit_file", "pytest", "git fetch"]);
    expect(rules("Never rules")).toEqual(["git push --force"]);
    expect(rules("Ended rules")).toEqual(["./deploy.sh staging"]);
  });

  it("says where a rule holds, how it was used and when it ends", async () => {
    await open();
    const fetch = list("Allowed rules").getByRole("listitem").filter({ hasText: "git fetch" });
    await expect.element(fetch).toHaveTextContent("every command that begins with");
    await expect.element(fetch).toHaveTextContent("in ~/photo-server and nowhere else");
    await expect.element(fetch).toHaveTextContent("used 12 times, last yesterday");
    await expect.element(fetch).toHaveTextContent("ends in 60 days unless it is used");
    const edit = list("Allowed rules").getByRole("listitem").filter({ hasText: "edit_file" });
    await expect.element(edit).toHaveTextContent("in the session “Fix broken packages”");
    await expect.element(list("Ended rules")).toHaveTextContent("ended 5 days ago");
    await expect.element(list("Never rules")).toHaveTextContent("everywhere · used 1 time, last");
  });

  it("tells a rule of a session that is gone as ended", async () => {
    const { host } = await open();
    await host.deleteSession("demo-packages");
    await expect.poll(() => rules("Ended rules")).toContain("edit_file");
    await expect.element(list("Ended rules")).toHaveTextContent("for a session that is gone");
  });

  it("finds rules by their words and by where they hold", async () => {
    await open();
    const search = page.getByRole("searchbox", { name: "Find a rule" });
    await search.fill("photo-server");
    await expect.poll(() => rules("Allowed rules")).toEqual(["git fetch"]);
    await search.fill("push");
    await expect.poll(() => rules("Never rules")).toEqual(["git push --force"]);
    await search.fill("nothing like it");
    await expect.element(page.getByText("No rule has these words in it.")).toBeVisible();
  });

  it("says what to do where there is nothing yet", async () => {
    await open({ grants: [] });
    await expect.element(page.getByText("No rules yet")).toBeVisible();
    await expect.element(page.getByText("Nothing is refused for good.")).toBeVisible();
    expect(page.getByRole("searchbox").elements()).toHaveLength(0);
  });

  it("shows the past commands that a rule covers", async () => {
    await open();
    await list("Allowed rules").getByRole("button", { name: "Past commands" }).nth(2).click();
    await expect.element(page.getByText("Would have covered 3 of your last 9 commands")).toBeVisible();
    expect(rules("Past commands")).toEqual([
      "git fetch origin",
      "git fetch --tags origin",
      "git fetch upstream main",
    ]);
  });

  it("takes a rule back at once, and says when that failed", async () => {
    const { host } = await open();
    await page.getByRole("button", { name: "Take back the rule for pytest" }).click();
    await expect.poll(() => rules("Allowed rules")).toEqual(["edit_file", "git fetch"]);
    host.revokeGrant = () => Promise.reject(engineError("disk-full", "The disk is full."));
    await page.getByRole("button", { name: "Take back the rule for git fetch" }).click();
    expect((await host.grants()).map((grant) => grant.id)).toContain("grant-fetch");
    await page.getByRole("button", { name: "Remove the ended rule for ./deploy.sh staging" }).click();
    expect((await host.grants()).map((grant) => grant.id)).toContain("grant-old");
  });

  it("explains what is never allowed, and leads to the settings", async () => {
    const { store } = await open();
    await page.getByText("What is never allowed").click();
    await expect.element(page.getByText(/No answer and no rule lets them run/)).toBeVisible();
    await expect.element(page.getByText(/Writing straight onto the disk/)).toBeVisible();
    await page.getByRole("button", { name: "Safety settings" }).click();
    expect(store.getState()).toMatchObject({ page: "settings", settingsPart: "safety" });
  });
});

describe("a rule that refuses", () => {
  const text = page.getByRole("textbox", { name: "Command" });
  const save = page.getByRole("button", { name: "Never run this" });

  it("is made of words, with what it would have refused", async () => {
    const { host } = await open();
    await page.getByRole("button", { name: "Add a rule" }).click();
    await expect.element(text).toHaveFocus();
    await text.fill("git push");
    await expect.element(page.getByText("Would have refused 1 of your last 9 commands")).toBeVisible();
    await userEvent.keyboard("{Enter}");
    await expect.poll(() => rules("Never rules")).toContain("git push");
    const made = (await host.grants()).at(-1);
    expect(made).toMatchObject({
      allow: false,
      rule: { type: "program", words: ["git", "push"] },
      lifetime: "always",
      expiresAt: null,
    });
    await expect.element(page.getByRole("button", { name: "Add a rule" })).toHaveFocus();
  });

  it("is made of an exact text, quotes and all", async () => {
    const { host } = await open();
    await page.getByRole("button", { name: "Add a rule" }).click();
    await page.getByRole("combobox", { name: "What it refuses" }).selectOptions("exactly this command");
    await text.fill(`git commit -m "x; y"`);
    await save.click();
    await expect
      .poll(async () => (await host.grants()).at(-1)?.rule)
      .toEqual({
        type: "exact",
        command: `git commit -m "x; y"`,
      });
  });

  it("shows in place what is wrong with it, in the engine's words where it is the engine's", async () => {
    const { host } = await open();
    const before = await host.grants();
    await page.getByRole("button", { name: "Add a rule" }).click();
    await save.click();
    await expect
      .element(page.getByRole("alert"))
      .toHaveTextContent("Write the command that is never to run.");
    await text.fill("rm -rf $HOME");
    await save.click();
    await expect.element(page.getByRole("alert")).toHaveTextContent("Write plain words without quotes");
    await text.fill("--force");
    expect(page.getByRole("alert").elements()).toHaveLength(0);
    await save.click();
    await expect.element(page.getByRole("alert")).toHaveTextContent("A command begins with a program");
    await expect.element(text).toHaveFocus();
    await expect.element(text).toHaveAttribute("aria-invalid", "true");
    expect(await host.grants()).toEqual(before);
    await userEvent.keyboard("{Escape}");
    await expect.element(page.getByRole("button", { name: "Add a rule" })).toHaveFocus();
  });
});

describe.each(["light", "dark", "contrast"] satisfies Theme[])("accessibility, %s", (theme) => {
  it("with everything open", async () => {
    document.documentElement.dataset.theme = theme;
    await open();
    await list("Allowed rules").getByRole("button", { name: "Past commands" }).nth(1).click();
    await page.getByRole("button", { name: "Add a rule" }).click();
    await page.getByRole("button", { name: "Never run this" }).click();
    await page.getByText("What is never allowed").click();
    await expect.element(page.getByText(/Would have covered/)).toBeVisible();
    expect(await axeViolations()).toEqual([]);
  });
});

describe("looking through the past", () => {
  it("shows that it is under way, and when it failed", async () => {
    const { host } = await open();
    let fail: (thrown: unknown) => void = () => undefined;
    host.previewGrant = () =>
      new Promise<GrantPreview>((_, reject) => {
        fail = reject;
      });
    await list("Allowed rules").getByRole("button", { name: "Past commands" }).nth(0).click();
    await expect.element(page.getByText("Looking through your past commands…")).toBeVisible();
    fail(engineError("journal-damaged", "The record is damaged."));
    await expect.element(page.getByText(/The record is damaged\./)).toBeVisible();
  });
});
