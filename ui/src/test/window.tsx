/* The whole window for tests, on the host in memory, with a model that can be talked to. */
import { expect } from "vitest";
import { page } from "vitest/browser";
import { render } from "vitest-browser-react";
import { App } from "@/app/App";
import { FakeHost, type FakeOptions } from "@/ipc/fakeHost";

const MODEL = {
  mainModel: { provider: "local", baseUrl: "http://127.0.0.1:11434/v1", model: "qwen-coder" },
} as const;

export async function open(options: FakeOptions = {}): Promise<FakeHost> {
  const host = new FakeHost({
    speed: 100,
    ...options,
    settings: { theme: "light", ...MODEL, ...options.settings },
  });
  await render(<App host={host} />);
  await expect.element(page.getByRole("heading", { name: "What should get done?" })).toBeVisible();
  return host;
}

export const talk = () => page.getByRole("log", { name: "Conversation" });
export const box = () => page.getByRole("textbox", { name: "Instructions" });
