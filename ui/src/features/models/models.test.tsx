import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { page, userEvent } from "vitest/browser";
import { cleanup, render } from "vitest-browser-react";
import type { Usage } from "@/ipc/bindings";
import { FakeHost, type FakeOptions } from "@/ipc/fakeHost";
import { HostContext } from "@/ipc/host";
import { createAppStore, StoreContext } from "@/state/store";
import { axeViolations } from "@/test/axe";
import { ModelButton, ModelMeter } from "./ModelButton";

const anthropic = { provider: "anthropic", baseUrl: null, model: null } as const;
const USAGE: Usage = {
  inputTokens: 12_400,
  outputTokens: 840,
  cachedTokens: 9_000,
  calls: 5,
  costMicros: 31_000,
  unpricedCalls: 2,
};

async function show(options: FakeOptions, usage?: Usage) {
  const host = new FakeHost({ speed: 1000, ...options });
  const store = createAppStore(host);
  store.getState().start();
  if (usage) {
    const session = await host.createSession({ title: "t" });
    host.put({ ...session, usage });
    await store.getState().open(session.id);
  }
  await render(
    <HostContext value={host}>
      <StoreContext value={store}>
        <main className="p-96">
          <ModelMeter />
          <ModelButton />
        </main>
      </StoreContext>
    </HostContext>,
  );
  return { host, store };
}

const meter = page.getByRole("button", { name: /Model and use/ }).first();
const panel = page.getByRole("dialog", { name: "Model and use" });
const withKey = { settings: { mainModel: anthropic }, models: { keys: { anthropic: "keyring" as const } } };

beforeEach(() => {
  document.documentElement.dataset.theme = "light";
});
afterEach(() => cleanup());

describe("the meter", () => {
  it("says rules only when there is no model", async () => {
    await show({});
    await expect.element(meter).toHaveTextContent("Rules only");
    await meter.click();
    await expect.element(panel.getByText(/No model is asked/)).toBeVisible();
    await expect.element(panel.getByText("Nothing is used yet.")).toBeVisible();
  });

  it("follows the engine when another model answers", async () => {
    const { host } = await show(withKey);
    await expect.element(meter).toHaveTextContent("claude-opus-4-6");
    await host.setSettings({ ...(await host.getSettings()), mainModel: null });
    await expect.element(meter).toHaveTextContent("Rules only");
  });

  it("counts tokens and money, and never makes a price up", async () => {
    await show(withKey, USAGE);
    await expect.element(meter).toHaveTextContent("claude-opus-4-6· $0.03");
    await meter.click();
    await expect.element(panel.getByText("12.4k")).toBeVisible();
    await expect.element(panel.getByText("9k", { exact: true })).toBeVisible();
    await expect.element(panel.getByText("$0.03")).toBeVisible();
    await expect.element(panel.getByText("price unknown for 2 questions")).toBeVisible();
  });

  it("says that nothing is known about the cost when no call has a price", async () => {
    await show(withKey, { ...USAGE, costMicros: 0, unpricedCalls: 5 });
    await expect.element(meter).toHaveTextContent("13.2k tokens");
    await meter.click();
    await expect.element(panel.getByText("unknown", { exact: true })).toBeVisible();
    expect(panel.getByText("$0.00").elements()).toHaveLength(0);
  });

  it("shows why a chosen model cannot be used", async () => {
    await show({ settings: { mainModel: anthropic } });
    await expect.element(meter).toHaveTextContent("Rules only");
    await meter.click();
    await expect.element(panel.getByText(/There is no key for Anthropic/)).toBeVisible();
  });

  it("shows the limits, and warns from 80 % on", async () => {
    const settings = { ...withKey.settings, tokenCap: 16_000, costCapCents: 3 };
    const { store } = await show({ ...withKey, settings }, USAGE);
    await expect.poll(() => meter.element().className).toContain("bg-danger-tint");
    await meter.click();
    await expect.element(panel.getByText("13.2k of 16k")).toBeVisible();
    await expect.element(panel.getByText("$0.03 of $0.03")).toBeVisible();
    await expect.element(panel.getByText("The limit is reached. Raise it to go on.")).toBeVisible();
    await panel.getByRole("button", { name: "Change limits…" }).click();
    expect(store.getState()).toMatchObject({ page: "settings", settingsPart: "caps" });
  });

  it("is quiet below 80 %, tinted from there", async () => {
    const near = { ...withKey.settings, tokenCap: 16_000 };
    const { host } = await show({ ...withKey, settings: near }, USAGE);
    await expect.poll(() => meter.element().className).toContain("bg-caution-tint");
    await host.setSettings({ ...(await host.getSettings()), tokenCap: 17_000 });
    await expect.poll(() => meter.element().className).not.toContain("tint");
  });

  it("leads to the models in the settings, by keyboard too", async () => {
    const { store } = await show(withKey);
    await page.getByRole("button", { name: "claude-opus-4-6. Model and use" }).nth(1).click();
    await expect.element(panel).toBeVisible();
    await userEvent.keyboard("{Escape}");
    await expect.element(panel).not.toBeInTheDocument();
    await userEvent.keyboard("{Enter}");
    await panel.getByRole("button", { name: "Change model…" }).click();
    expect(store.getState()).toMatchObject({ page: "settings", settingsPart: "models" });
  });

  it.each(["light", "dark", "contrast"])("has nothing for axe to find in %s", async (theme) => {
    document.documentElement.dataset.theme = theme;
    const settings = { ...withKey.settings, tokenCap: 16_000, costCapCents: 3 };
    await show({ ...withKey, settings }, USAGE);
    await expect.poll(() => meter.element().className).toContain("tint");
    await meter.click();
    await expect.element(panel).toBeVisible();
    expect(await axeViolations()).toEqual([]);
  });
});
