/* The page of the field guide's rules, on a host in memory. */
import { beforeEach, describe, expect, it } from "vitest";
import { page } from "vitest/browser";
import { render } from "vitest-browser-react";
import type { GuideRule } from "@/ipc/bindings";
import { FakeHost } from "@/ipc/fakeHost";
import { HostContext } from "@/ipc/host";
import { createAppStore, StoreContext } from "@/state/store";
import { axeViolations } from "@/test/axe";
import { GuidePage } from "./GuidePage";

const RULES: GuideRule[] = [
  { id: "shipit-session", title: "The session of shipit has ended", own: true, helped: 0, failed: 0 },
  { id: "missing-directory", title: "A folder is missing", own: false, helped: 3, failed: 1 },
  { id: "port-in-use", title: "The port is taken", own: false, helped: 0, failed: 0 },
];

async function open(rules: GuideRule[] = RULES): Promise<FakeHost> {
  const host = new FakeHost({ speed: Number.POSITIVE_INFINITY });
  host.rules = rules;
  await render(
    <HostContext value={host}>
      <StoreContext value={createAppStore(host)}>
        <div style={{ width: 760, height: 700, display: "flex" }}>
          <GuidePage />
        </div>
      </StoreContext>
    </HostContext>,
  );
  return host;
}

const list = () => page.getByRole("list", { name: "Field guide" });

beforeEach(() => {
  document.documentElement.dataset.theme = "light";
});

describe("the rules of the field guide", () => {
  it("shows first what was used here, with what came of it", async () => {
    await open();
    await expect.element(list()).toHaveTextContent("A folder is missing");
    await expect.element(list()).toHaveTextContent("helped 3 of 4");
    await expect.element(list()).not.toHaveTextContent("The port is taken");
  });

  it("finds among all, and among the user's own", async () => {
    await open();
    await page.getByRole("radio", { name: "All" }).click();
    await expect.element(page.getByText("3 rules")).toBeVisible();
    await page.getByRole("searchbox", { name: "Find a rule" }).fill("PORT");
    await expect.element(page.getByText("1 rule", { exact: true })).toBeVisible();
    await page.getByRole("searchbox", { name: "Find a rule" }).fill("");
    await page.getByRole("radio", { name: "Your own" }).click();
    await expect.element(list()).toHaveTextContent("shipit-session · your own");
  });

  it("forgets what came of a rule", async () => {
    const host = await open();
    await page.getByRole("button", { name: "Forget what came of: A folder is missing" }).click();
    await expect.element(page.getByText("No rule was needed yet")).toBeVisible();
    expect(host.rules.map(({ helped }) => helped)).toEqual([0, 0, 0]);
  });

  it.each(["light", "dark", "contrast"])("has nothing for axe to find in %s", async (theme) => {
    document.documentElement.dataset.theme = theme;
    await open();
    await expect.element(list()).toBeVisible();
    expect(await axeViolations()).toEqual([]);
  });
});
