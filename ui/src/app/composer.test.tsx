/* The composer in the whole window: long texts, who leads, little room. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { page, userEvent } from "vitest/browser";
import { cleanup } from "vitest-browser-react";
import type { FakeHost } from "@/ipc/fakeHost";
import { axeViolations } from "@/test/axe";
import { box, open } from "@/test/window";

const PAGE = `# Set up the board\n\n${Array.from({ length: 30 }, (_, at) => `Line ${at + 1} of what to know.`).join("\n")}\n\n\`\`\`sh\nmake flash\n\`\`\`\n`;

/** As Ctrl+V does it. */
function paste(text: string): void {
  const clipboardData = new DataTransfer();
  clipboardData.setData("text/plain", text);
  const event = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
  const field = box().element();
  if (field.dispatchEvent(event) && field instanceof HTMLTextAreaElement) field.setRangeText(text);
}

const said = (host: FakeHost) =>
  host.submitted.flatMap(({ command }) => (command.type === "say" ? [command.text] : []));

beforeEach(async () => {
  localStorage.clear();
  await page.viewport(1360, 860);
});
afterEach(cleanup);

describe("a pasted page", () => {
  const chip = page.getByRole("button", { name: "Set up the board 36 lines" });

  it("is a chip that opens, can be changed, and goes along with the words", async () => {
    const host = await open();
    await box().click();
    paste(PAGE);
    await expect.element(chip).toBeVisible();
    await expect.element(box()).toHaveValue("");
    expect(await axeViolations()).toEqual([]);
    await chip.click();
    const text = page.getByRole("dialog").getByRole("textbox");
    await expect.element(text).toHaveValue(PAGE);
    await userEvent.fill(text, PAGE.replace("make flash", "make flash-all"));
    await page.getByRole("button", { name: "Keep the change" }).click();
    await userEvent.fill(box(), "do this");
    await userEvent.keyboard("{Enter}");
    await expect
      .poll(() => said(host))
      .toEqual([`do this\n\n${PAGE.replace("make flash", "make flash-all").trim()}`]);
    await expect.element(chip).not.toBeInTheDocument();
  });

  it("can be taken away again, and a line or two is no page", async () => {
    await open();
    await box().click();
    paste("git status\ngit pull");
    expect(page.getByRole("list", { name: "Pasted pages" }).elements()).toEqual([]);
    paste(PAGE);
    await page.getByRole("button", { name: "Remove the pasted page “Set up the board”" }).click();
    await expect.element(chip).not.toBeInTheDocument();
  });

  it("becomes a plan where there is no model", async () => {
    await open({ settings: { theme: "light", mainModel: null } });
    await box().click();
    paste(PAGE);
    await page.getByRole("button", { name: "Make a plan" }).click();
    await expect.element(page.getByRole("heading", { name: "Set up the board" })).toBeVisible();
  });
});

describe("an address alone", () => {
  const write = async (text: string) => {
    await userEvent.fill(box(), text);
    await userEvent.keyboard("{Enter}");
  };

  it("is a page to fetch", async () => {
    const host = await open();
    await write("https://example.com/photo-server");
    await expect.element(page.getByRole("heading", { name: "Set up the photo server" })).toBeVisible();
    expect(said(host)).toEqual([]);
  });

  it("is one where there is no model, too", async () => {
    await open({ settings: { theme: "light", mainModel: null } });
    await write("https://example.com/photo-server");
    await expect.element(page.getByRole("heading", { name: "Set up the photo server" })).toBeVisible();
  });

  it("says what is wrong with it, and stays to be corrected", async () => {
    await open({ settings: { theme: "light", mainModel: null } });
    await write("https://example.com/phot");
    await expect.element(page.getByText("There is no page at this address", { exact: false })).toBeVisible();
    await expect.element(box()).toHaveValue("https://example.com/phot");
  });
});

it("grows with what is written, to a third of the window", async () => {
  await open();
  const height = () => box().element().getBoundingClientRect().height;
  const before = height();
  await userEvent.fill(box(), "one\ntwo\nthree\nfour");
  await expect.poll(height).toBeGreaterThan(before + 40);
  await userEvent.fill(box(), "a line\n".repeat(60));
  await expect.poll(height).toBeCloseTo(860 * 0.33, 0);
  await userEvent.fill(box(), "");
  await expect.poll(height).toBe(before);
});

describe("who leads", () => {
  const leads = page.getByRole("main").getByRole("radiogroup", { name: "Mode" });
  const chosen = (name: string) => leads.getByRole("radio", { name, checked: true });

  it("is the mode of a new plan before there is one, and the plan's own after", async () => {
    const host = await open({ speed: 10 });
    await expect.element(chosen("Planner")).toBeVisible();
    await leads.getByRole("radio", { name: "Agentic" }).click();
    await expect.poll(async () => (await host.getSettings()).defaultMode).toBe("agentic");
    await page.getByRole("button", { name: "Follow a page" }).click();
    await expect.element(chosen("Agentic")).toBeVisible();
    await leads.getByRole("radio", { name: "Teacher" }).click();
    await expect.poll(() => host.submitted.map(({ command }) => command.type)).toEqual(["set-mode"]);
    await expect.element(chosen("Teacher")).toBeVisible();
    expect((await host.getSettings()).defaultMode).toBe("agentic");
  });

  it("cannot be changed in a run", async () => {
    await open({ speed: 10, settings: { defaultMode: "agentic" } });
    await page.getByRole("button", { name: "Follow a page" }).click();
    await userEvent.keyboard("{F5}");
    await expect.element(leads.getByRole("radio", { name: "Planner" })).toBeDisabled();
  });
});

describe("little room", () => {
  it.each([
    [1024, 600],
    [899, 600],
    [480, 400],
  ])("nothing stands out of a window of %d × %d", async (width, height) => {
    await page.viewport(width, height);
    await open();
    const fits = () => document.documentElement.scrollWidth <= width;
    expect(fits()).toBe(true);
    await page.getByRole("button", { name: "Follow a page" }).click();
    await expect.element(box()).toBeVisible();
    expect(fits()).toBe(true);
    const inside = (element: Element) => {
      const { left, right, top, height } = element.getBoundingClientRect();
      const seen = document.elementFromPoint((left + right) / 2, top + height / 2);
      return left >= 0 && right <= width && seen !== null && element.contains(seen);
    };
    const controls = [
      ...document.querySelectorAll("[data-composer] button, [data-composer] textarea, header button"),
    ];
    expect(controls.filter((control) => !inside(control)).map((control) => control.outerHTML)).toEqual([]);
  });

  it("in a narrow window the plan has the whole width", async () => {
    await page.viewport(640, 480);
    await open();
    await page.getByRole("button", { name: "Follow a page" }).click();
    await page
      .getByRole("navigation", { name: "Parts of the window" })
      .getByRole("button", { name: "Plan", exact: true })
      .click();
    const plan = page.getByRole("heading", { name: "Set up the photo server" });
    await expect.element(plan).toBeVisible();
    expect(plan.element().closest(".pane")?.getBoundingClientRect().width).toBe(640);
  });
});
