import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import { cleanup } from "vitest-browser-react";
import type { Settings } from "@/ipc/bindings";
import { WRONG_KEY } from "@/ipc/demo/models";
import { engineError } from "@/ipc/engineError";
import type { FakeHost, FakeOptions } from "@/ipc/fakeHost";
import { axeViolations } from "@/test/axe";
import { openSettings } from "./fixtures";

async function open(options: FakeOptions = {}) {
  const opened = await openSettings(options);
  await expect.element(page.getByRole("heading", { name: "Settings" })).toBeVisible();
  return opened;
}

const saved = (host: FakeHost): Promise<Settings> => host.getSettings();
const anthropic = { provider: "anthropic", baseUrl: null, model: null } as const;
const main = page.getByRole("group", { name: "Main model" });

beforeEach(() => {
  document.documentElement.dataset.theme = "light";
});
afterEach(() => cleanup());

describe("the user's own rules", () => {
  it("are said to be in a folder", async () => {
    await open();
    await expect.element(page.getByText("/home/ada/.local/share/planwright/rules")).toBeVisible();
  });
});

describe("what a failed step does", () => {
  it("can be to put everything back", async () => {
    const { host } = await open();
    await page.getByRole("combobox", { name: "When a step fails" }).selectOptions("Put back and stop");
    await expect.poll(async () => (await saved(host)).onFailure).toBe("rollback");
  });
});

describe("the main model", () => {
  it("is nobody at first, and says what works then", async () => {
    await open();
    const none = main.getByRole("radio", { name: "None: rules only" });
    await expect.element(none).toBeChecked();
    await expect.element(none).toHaveAccessibleDescription(/repairs by the field guide all work/);
  });

  it("is saved as it is chosen, and a missing key is said at once", async () => {
    const { host } = await open();
    await main.getByRole("radio", { name: "Anthropic" }).click();
    await expect.poll(async () => (await saved(host)).mainModel).toEqual(anthropic);
    await expect.element(page.getByRole("alert")).toHaveTextContent("There is no key for Anthropic.");
    await main.getByRole("radio", { name: "None: rules only" }).click();
    await expect.poll(async () => (await saved(host)).mainModel).toBeNull();
    await expect.element(page.getByRole("alert")).not.toBeInTheDocument();
  });

  it("keeps what was entered for another provider", async () => {
    const { host } = await open({ settings: { mainModel: { ...anthropic, model: "claude-x" } } });
    await main.getByRole("radio", { name: "OpenAI" }).click();
    await main.getByRole("radio", { name: "Anthropic" }).click();
    await expect.element(main.getByRole("textbox", { name: "Model" })).toHaveValue("claude-x");
    expect((await saved(host)).mainModel?.model).toBe("claude-x");
  });

  it("refuses half an address and saves a whole one", async () => {
    const { host } = await open({ settings: { mainModel: { ...anthropic, provider: "local" } } });
    const address = main.getByRole("textbox", { name: "Address" });
    await address.fill("127.0.0.1:9");
    await userEvent.keyboard("{Enter}");
    await expect.element(main.getByText("Write a whole address", { exact: false })).toBeVisible();
    expect((await saved(host)).mainModel?.baseUrl).toBeNull();
    await address.fill("http://127.0.0.1:9/v1");
    await userEvent.keyboard("{Enter}");
    await expect.poll(async () => (await saved(host)).mainModel?.baseUrl).toBe("http://127.0.0.1:9/v1");
  });

  it("offers the servers that were found, with their models", async () => {
    const servers = [
      { baseUrl: "http://127.0.0.1:11434/v1", models: ["a"] },
      { baseUrl: "http://127.0.0.1:1234/v1", models: ["b", "c"] },
    ];
    const { host } = await open({
      settings: { mainModel: { ...anthropic, provider: "local" } },
      models: { servers },
    });
    await expect.element(main.getByText("2 models")).toBeVisible();
    await main.getByRole("button", { name: "Use http://127.0.0.1:1234/v1" }).click();
    await expect.poll(async () => (await saved(host)).mainModel?.baseUrl).toBe("http://127.0.0.1:1234/v1");
    await main.getByRole("button", { name: "Choose from the models that are offered" }).click();
    expect(
      page
        .getByRole("menuitem")
        .elements()
        .map((item) => item.textContent),
    ).toEqual(["b", "c"]);
    await page.getByRole("menuitem", { name: "c" }).click();
    await expect.poll(async () => (await saved(host)).mainModel?.model).toBe("c");
    await expect.element(main.getByRole("textbox", { name: "Model" })).toHaveValue("c");
  });

  it("says when no server answers", async () => {
    await open({ settings: { mainModel: { ...anthropic, provider: "local" } }, models: { servers: [] } });
    await expect.element(main.getByText(/No server answers on the usual ports/)).toBeVisible();
  });

  it("is only shown when the environment sets it", async () => {
    const environment = {
      provider: "local",
      model: "qwen",
      baseUrl: "http://127.0.0.1:8080/v1",
      tools: "native",
      contextTokens: null,
      price: null,
    } as const;
    await open({ models: { environment } });
    await expect.element(page.getByText("Set by the environment")).toBeVisible();
    await expect.element(page.getByText("qwen", { exact: true })).toBeVisible();
    await expect.element(main).not.toBeInTheDocument();
  });
});

describe("a key", () => {
  it("is handed over, never shown back, and forgotten", async () => {
    const { host } = await open({ settings: { mainModel: anthropic } });
    const field = page.getByLabelText("Key for Anthropic");
    await expect.element(field).toHaveAttribute("type", "password");
    await field.fill("sk-secret");
    await page.getByRole("button", { name: "Save key" }).click();
    await expect.element(page.getByText("A key is kept in the system's keyring.")).toBeVisible();
    await expect.element(field).toHaveValue("");
    expect(document.body.innerHTML).not.toContain("sk-secret");
    expect((await host.keyStatuses()).find((key) => key.provider === "anthropic")?.place).toBe("keyring");
    await page.getByRole("button", { name: "Forget key" }).click();
    await expect.element(page.getByText(/No key yet/)).toBeVisible();
  });

  it("is said to be in memory only, and why", async () => {
    const keyringProblem = "No keyring service runs on this machine.";
    await open({
      settings: { mainModel: anthropic },
      models: { keys: { anthropic: "memory" }, keyringProblem },
    });
    await expect
      .element(page.getByText(`A key is held in memory until Planwright closes. ${keyringProblem}`))
      .toBeVisible();
  });

  it("from the environment cannot be changed here", async () => {
    await open({ settings: { mainModel: anthropic }, models: { keys: { anthropic: "environment" } } });
    await expect.element(page.getByText(/The key comes from the environment/)).toBeVisible();
    expect(page.getByRole("button", { name: "Save key" }).elements()).toHaveLength(0);
    expect(page.getByRole("button", { name: "Forget key" }).elements()).toHaveLength(0);
  });

  it("stays typed when it cannot be kept, with the reason beside it", async () => {
    const { host } = await open({ settings: { mainModel: anthropic } });
    host.models.nextKeyError = engineError(
      "key-unusable",
      "The keyring is locked. Unlock it, then save again.",
    );
    const field = page.getByLabelText("Key for Anthropic");
    await field.fill("sk-secret");
    await page.getByRole("button", { name: "Save key" }).click();
    await expect.element(page.getByText("The keyring is locked. Unlock it, then save again.")).toBeVisible();
    await expect.element(field).toHaveValue("sk-secret");
  });
});

describe("the connection test", () => {
  it("says what answered and how", async () => {
    await open({ settings: { mainModel: anthropic }, models: { keys: { anthropic: "keyring" } } });
    await page.getByRole("button", { name: "Test connection" }).click();
    await expect.element(page.getByText("It works")).toBeVisible();
    await expect.element(page.getByText("by its own tool calls")).toBeVisible();
    await expect.element(page.getByText("200k tokens")).toBeVisible();
    await expect.element(page.getByText("0.4 s")).toBeVisible();
  });

  it("tries the key that is typed, and says what is wrong with it", async () => {
    const { host } = await open({ settings: { mainModel: anthropic } });
    await page.getByLabelText("Key for Anthropic").fill(WRONG_KEY);
    await page.getByRole("button", { name: "Test connection" }).click();
    await expect.element(page.getByText("The key is not accepted")).toBeVisible();
    await expect.element(page.getByText(/Copy it again from your account/)).toBeVisible();
    expect(host.models.tested).toEqual([{ choice: anthropic, key: WRONG_KEY }]);
  });

  it("can be cancelled, and what comes afterwards no longer counts", async () => {
    const { host } = await open({
      settings: { mainModel: anthropic },
      models: { keys: { anthropic: "keyring" } },
    });
    // The answer comes when the test says so: a slow machine must not miss the wait for it.
    const test = host.testConnection.bind(host);
    let answer = () => {};
    const held = new Promise<void>((done) => {
      answer = done;
    });
    vi.spyOn(host, "testConnection").mockImplementation((...asked) => held.then(() => test(...asked)));
    await page.getByRole("button", { name: "Test connection" }).click();
    await expect.element(page.getByText(/^Asking the model/)).toBeVisible();
    await page.getByRole("button", { name: "Cancel" }).click();
    await expect.element(page.getByText("The test was cancelled.")).toBeVisible();
    answer();
    await expect.poll(() => host.models.tested).toHaveLength(1);
    await new Promise((done) => setTimeout(done, 100));
    expect(page.getByText("It works").elements()).toHaveLength(0);
  });

  it("forgets an outcome that another key had", async () => {
    await open({ settings: { mainModel: anthropic }, models: { keys: { anthropic: "keyring" } } });
    await page.getByRole("button", { name: "Test connection" }).click();
    await expect.element(page.getByText("It works")).toBeVisible();
    await page.getByLabelText("Key for Anthropic").fill("another");
    await expect.element(page.getByText("It works")).not.toBeInTheDocument();
    await page.getByRole("button", { name: "Test again" }).click();
    await expect.element(page.getByText(/The key you typed was tried/)).toBeVisible();
    await page.getByRole("button", { name: "Forget key" }).click();
    await expect.element(page.getByText("It works")).not.toBeInTheDocument();
  });

  it("forgets an outcome that another choice had", async () => {
    await open({ settings: { mainModel: anthropic }, models: { keys: { anthropic: "keyring" } } });
    await page.getByRole("button", { name: "Test connection" }).click();
    await expect.element(page.getByText("It works")).toBeVisible();
    await page.getByLabelText("Model", { exact: true }).fill("another");
    await userEvent.keyboard("{Enter}");
    await expect.element(page.getByText("It works")).not.toBeInTheDocument();
  });
});

describe("the stronger model", () => {
  it("is folded away and chosen on its own", async () => {
    const { host } = await open();
    await page.getByRole("button", { name: /^Stronger model/ }).click();
    const stronger = page.getByRole("group", { name: "Stronger model" });
    await stronger.getByRole("radio", { name: "Anthropic" }).click();
    await expect.poll(async () => (await saved(host)).strongerModel).toEqual(anthropic);
    expect((await saved(host)).mainModel).toBeNull();
  });
});

describe("limits", () => {
  it("takes tokens and dollars as people write them", async () => {
    const { host } = await open();
    await page.getByRole("textbox", { name: "Tokens, tokens" }).fill("200,000");
    await userEvent.keyboard("{Enter}");
    await expect.poll(async () => (await saved(host)).tokenCap).toBe(200_000);
    await page.getByRole("textbox", { name: "Money, dollars" }).fill("$1.50");
    await userEvent.keyboard("{Enter}");
    await expect.poll(async () => (await saved(host)).costCapCents).toBe(150);
    await page.getByRole("textbox", { name: "Money, dollars" }).fill("");
    await userEvent.keyboard("{Enter}");
    await expect.poll(async () => (await saved(host)).costCapCents).toBeNull();
  });

  it.each(["-1", "1.234", "abc", "0", "20000"])("refuses %s dollars", async (text) => {
    const { host } = await open();
    await page.getByRole("textbox", { name: "Money, dollars" }).fill(text);
    await userEvent.keyboard("{Enter}");
    await expect.element(page.getByText(/Choose an amount from/)).toBeVisible();
    expect((await saved(host)).costCapCents).toBeNull();
  });

  it.each(["0", "101", "2.5", ""])("refuses %s rounds", async (text) => {
    const { host } = await open();
    await page.getByRole("textbox", { name: "Rounds in one turn, rounds" }).fill(text);
    await userEvent.keyboard("{Enter}");
    await expect.element(page.getByText("Choose a number from 1 to 100.")).toBeVisible();
    expect((await saved(host)).maxRounds).toBe(100);
  });

  it("switches the conversation's habits", async () => {
    const { host } = await open();
    await page.getByRole("switch", { name: "Work on by itself" }).click();
    await page.getByRole("switch", { name: "Read side by side" }).click();
    await page.getByRole("switch", { name: "Ask before each edit" }).click();
    await expect
      .poll(async () => {
        const { autonomousLoop, parallelTools, askEdits } = await saved(host);
        return { autonomousLoop, parallelTools, askEdits };
      })
      .toEqual({ autonomousLoop: false, parallelTools: false, askEdits: false });
  });
});

describe("safety", () => {
  it("forecasts or not, and says when rules end", async () => {
    const { host, store } = await open();
    store.getState().showSettings("safety");
    const days = page.getByRole("textbox", { name: "Rules end after, days" });
    await expect.element(days).toHaveValue("90");
    await days.fill("0");
    await userEvent.keyboard("{Enter}");
    await expect.element(page.getByText("Choose a number from 1 to 3650.")).toBeVisible();
    await days.fill("30");
    await userEvent.keyboard("{Enter}");
    await page.getByRole("switch", { name: "Forecast of what a command does" }).click();
    await expect
      .poll(async () => {
        const { forecast, grantDays } = await saved(host);
        return { forecast, grantDays };
      })
      .toEqual({ forecast: false, grantDays: 30 });
  });
});

describe("attention", () => {
  it("keeps the machine awake, and has an icon in the tray, until told not to", async () => {
    const { host, store } = await open();
    store.getState().show("settings");
    const switches = ["Keep the machine awake while working", "Icon in the tray"].map((name) =>
      page.getByRole("switch", { name }),
    );
    for (const control of switches) await expect.element(control).toBeChecked();
    for (const control of switches) {
      (control.element() as HTMLElement).focus();
      await userEvent.keyboard(" ");
      await expect.element(control).not.toBeChecked();
    }
    await expect
      .poll(async () => {
        const { keepAwake, trayIcon } = await saved(host);
        return { keepAwake, trayIcon };
      })
      .toEqual({ keepAwake: false, trayIcon: false });
  });

  it("tells which session is seen, and shows the one that is chosen elsewhere", async () => {
    const { host, store } = await open();
    const made = await host.createSession({ title: "Chosen in the tray" });
    host.showSession(made.id);
    await expect.poll(() => store.getState().session?.id).toBe(made.id);
    store.getState().show("settings");
    await expect.poll(() => host.lookedAt.slice(-2)).toEqual([made.id, null]);
  });
});

describe("every theme", () => {
  it.each(["light", "dark", "contrast"])("has nothing for axe to find in %s", async (theme) => {
    document.documentElement.dataset.theme = theme;
    await open({ settings: { mainModel: { ...anthropic, provider: "local" }, strongerModel: anthropic } });
    await page.getByRole("button", { name: /^Stronger model/ }).click();
    await page.getByRole("button", { name: "Test connection" }).first().click();
    await page.getByRole("button", { name: "Test connection" }).click();
    await expect.element(page.getByText("It works")).toBeVisible();
    await expect.element(page.getByText("A key is needed")).toBeVisible();
    expect(await axeViolations()).toEqual([]);
  });
});
