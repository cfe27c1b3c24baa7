/* Several open questions, of one session and of several. */
import { describe, expect, it } from "vitest";
import { page, userEvent } from "vitest/browser";
import { render } from "vitest-browser-react";
import type { SessionState } from "@/ipc/bindings";
import { axeViolations } from "@/test/axe";
import { type Answered, careful, dangerous, guard, layer, session } from "./fixtures";

const dialog = page.getByRole("alertdialog");
const card = page.getByRole("region", { name: "A command waits for your answer" });
const third = { ...careful, id: "a3", action: { type: "shell", command: "git fetch upstream" } as const };
const other: SessionState = { ...session(third), id: "other", title: "Clean up" };

describe("the queue", () => {
  it("is turned through by key and by button, each question guarded anew", async () => {
    const answered: Answered[] = [];
    await render(layer(session(dangerous, careful), { answered, waiting: [other] }));
    await expect.element(dialog.getByText("1 of 3")).toBeVisible();
    await expect.element(dialog.getByText("In the session “Photo server”")).toBeVisible();
    await guard();
    await userEvent.keyboard("{Alt>}{ArrowRight}{/Alt}");
    await expect.element(dialog.getByText("2 of 3")).toBeVisible();
    await expect.element(dialog.getByText("git fetch origin")).toBeVisible();
    // What was meant for the one before answers nothing here.
    await userEvent.keyboard("{Control>}{Enter}{/Control}");
    expect(answered).toEqual([]);
    await guard();
    await expect.element(page.getByRole("button", { name: "Don't run" })).toHaveFocus();
    await dialog.getByRole("button", { name: "Next question" }).click();
    await expect.element(dialog.getByText("3 of 3")).toBeVisible();
    await expect.element(dialog.getByText("In the session “Clean up”")).toBeVisible();
    await guard();
    await userEvent.keyboard("{Control>}{Enter}{/Control}");
    expect(answered).toEqual([{ answer: { type: "allow-once", editedCommand: null }, sessionId: "other" }]);
    await userEvent.keyboard("{Alt>}{ArrowLeft}{/Alt}");
    await expect.element(dialog.getByText("2 of 3")).toBeVisible();
  });

  it("goes on to the next one, then round to those that were passed over", async () => {
    const screen = await render(layer(session(dangerous, careful), { waiting: [other] }));
    await guard();
    await userEvent.keyboard("{Alt>}{ArrowRight}{/Alt}");
    await expect.element(dialog.getByText("2 of 3")).toBeVisible();
    await screen.rerender(layer(session(dangerous), { waiting: [other] }));
    await expect.element(dialog.getByText("3 of 3")).toBeVisible();
    await screen.rerender(layer(session(dangerous)));
    await expect.element(dialog.getByText("1 of 3")).toBeVisible();
    await screen.rerender(layer(session()));
    await expect.element(dialog).not.toBeInTheDocument();
    await screen.rerender(layer(session(careful)));
    await expect.element(dialog.getByText("1 of 1")).toBeVisible();
  });

  it("offers no turning where there is nothing to turn to", async () => {
    await render(layer(session(dangerous)));
    await expect.element(dialog.getByText("1 of 1")).toBeVisible();
    expect(dialog.getByRole("button", { name: "Next question" }).elements()).toHaveLength(0);
    expect(document.body.textContent).not.toContain("In the session");
  });
});

describe("a question of another session", () => {
  it("interrupts nobody: it comes as a card that says where it is from", async () => {
    const answered: Answered[] = [];
    const screen = await render(layer(session(), { answered }));
    await page.getByRole("button", { name: "before" }).click();
    await screen.rerender(layer(session(), { answered, waiting: [other] }));
    await expect.element(card).toBeVisible();
    await expect.element(card).toHaveTextContent("In the session “Clean up”");
    await expect.element(page.getByRole("button", { name: "before" })).toHaveFocus();
    await expect.element(dialog).not.toBeInTheDocument();
    expect(await axeViolations()).toEqual([]);
    await card.getByRole("button", { name: "Don't run" }).click();
    expect(answered).toEqual([{ answer: { type: "not-now" }, sessionId: "other" }]);
  });

  it("gives way to one of the session that is shown", async () => {
    const screen = await render(layer(session(), { waiting: [other] }));
    await expect.element(card).toBeVisible();
    await screen.rerender(layer(session(dangerous), { waiting: [other] }));
    await expect.element(page.getByRole("alertdialog", { name: "Run a dangerous command?" })).toBeVisible();
  });

  it("is asked at home too", async () => {
    await render(layer(null, { waiting: [other] }));
    await card.getByRole("button", { name: "Review" }).click();
    await expect.element(dialog.getByText("git fetch upstream")).toBeVisible();
  });
});
