/* The to-do list of a goal in the whole window, on the host in memory: shown, changed, looked back on. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { page, userEvent } from "vitest/browser";
import { cleanup } from "vitest-browser-react";
import { engineError } from "@/ipc/engineError";
import { axeViolations } from "@/test/axe";
import { LIST, openGoal, panel, titles, todo, todos } from "@/test/pursuit";
import { talk } from "@/test/window";

beforeEach(async () => {
  localStorage.clear();
  await page.viewport(1360, 860);
});
afterEach(() => cleanup());

describe("the to-do list", () => {
  it("shows each with its status in words and a shape, the present one first to the eye", async () => {
    const pursuit = await openGoal();
    await expect.element(panel().getByText("No to-dos yet")).toBeVisible();
    pursuit.signals("I look first.");
    await expect.element(todos().getByText("Look around")).toBeVisible();
    await expect.element(panel().getByText("0 of 3 done")).toBeVisible();
    const current = document.querySelector('[aria-current="step"]');
    expect(current?.textContent).toContain("Look around");
    expect(current?.textContent).toContain("in progress");
    await expect.element(panel().getByText("I look first.")).toBeVisible();
    await expect.element(panel().getByText("40 %")).toBeVisible();
    await expect
      .element(panel().getByRole("progressbar", { name: "Iteration" }))
      .toHaveAttribute("aria-valuenow", "1");
  });

  it("takes a new one at once, as the user's", async () => {
    const pursuit = await openGoal();
    pursuit.signals("So.");
    await userEvent.keyboard("{Control>}{Shift>}J{/Shift}{/Control}");
    await expect.element(page.getByRole("textbox", { name: "Add a to-do" })).toHaveFocus();
    await userEvent.keyboard("Say what went{Enter}");
    await expect.element(todos().getByText("Say what went")).toBeVisible();
    await expect.element(todos().getByText("· you")).toBeVisible();
    expect(pursuit.last()).toMatchObject({ type: "edit-todos", base: 1 });
    await expect.element(talk().getByText("You changed the list: 1 added")).toBeVisible();
    // The field stays for the next one.
    await expect.element(page.getByRole("textbox", { name: "Add a to-do" })).toHaveFocus();
  });

  it("is changed by key: moved, renamed, made urgent, cancelled", async () => {
    const pursuit = await openGoal();
    pursuit.signals("So.");
    await page.getByRole("button", { name: "Move “Clear caches”" }).click();
    await userEvent.keyboard("{Alt>}{ArrowUp}{/Alt}");
    await expect.poll(titles).toEqual(["clear", "look", "check"]);
    await expect.element(page.getByRole("button", { name: "Move “Clear caches”" })).toHaveFocus();
    await userEvent.keyboard("+");
    await expect.element(page.getByRole("button", { name: /^“Clear caches”: high/ })).toBeVisible();
    await userEvent.keyboard("{F2}");
    await userEvent.keyboard("{Control>}a{/Control}Clear old caches{Enter}");
    await expect.element(todos().getByText("Clear old caches")).toBeVisible();
    await page.getByRole("button", { name: "Move “Check”" }).click();
    await userEvent.keyboard("{Delete}");
    await expect.element(todos().getByText("cancelled").first()).toBeVisible();
    await expect
      .poll(() => pursuit.host.session(pursuit.id).goal?.todos)
      .toEqual([
        { id: "clear", title: "Clear old caches", status: "pending", priority: "high" },
        { id: "look", title: "Look around", status: "in-progress", priority: "medium" },
        { id: "check", title: "Check", status: "cancelled", priority: "medium" },
      ]);
  });

  it("says which sub-goal works on a to-do, why it waits, and leads to it", async () => {
    const pursuit = await openGoal();
    pursuit.signals("So.");
    pursuit.proposes("one");
    pursuit.runs("one");
    const task = {
      number: 1,
      todoId: "clear",
      goal: "Find the caches",
      askedBy: "user",
      iteration: 1,
      maxIterations: 8,
      maxTokens: null,
      maxCostMicros: null,
    } as const;
    pursuit.record({ type: "sub-goal-started", task });
    const row = (id: string) => document.querySelector(`li[data-todo="${id}"]`)?.textContent ?? "";
    await expect.poll(() => row("clear")).toContain("Sub-goal 1 waits until the present action is over");
    expect(row("look")).not.toContain("Sub-goal");
    pursuit.finishes("one", "success", "full");
    const way = todos().getByRole("button", { name: "Sub-goal 1 looks into it" });
    await way.click();
    await expect.element(page.getByRole("region", { name: "Sub-goal 1: Find the caches" })).toHaveFocus();
    expect(await axeViolations()).toEqual([]);
    pursuit.record({ type: "sub-goal-ended", number: 1, end: { type: "complete" }, synthesis: "Two." });
    await expect.poll(() => row("clear")).not.toContain("Sub-goal");
  });

  it("is put in another order by dragging", async () => {
    const pursuit = await openGoal();
    pursuit.signals("So.");
    const grip = page.getByRole("button", { name: "Move “Check”" });
    await expect.element(grip).toBeVisible();
    const from = grip.element().getBoundingClientRect();
    const first = document.querySelector("li[data-todo]")?.getBoundingClientRect();
    const at = (type: string, y: number) =>
      new PointerEvent(type, { bubbles: true, button: 0, clientX: from.x + 5, clientY: y });
    grip.element().dispatchEvent(at("pointerdown", from.y + 8));
    window.dispatchEvent(at("pointermove", (first?.y ?? 0) + 4));
    await expect.poll(() => document.querySelector("[data-drop-line]")).not.toBeNull();
    window.dispatchEvent(at("pointerup", (first?.y ?? 0) + 4));
    await expect.poll(titles).toEqual(["check", "look", "clear"]);
  });

  it("says why an edit did not count, and does it again on the new list", async () => {
    const pursuit = await openGoal();
    pursuit.signals("So.");
    const { host } = pursuit;
    const submit = host.submit.bind(host);
    host.submit = async (id, command) => {
      if (command.type !== "edit-todos" || command.base !== 1) return submit(id, command);
      // The agent was quicker.
      pursuit.lists("agent", [...LIST, todo("more", "Look at logs")]);
      throw engineError("stale", "The list has changed.");
    };
    await page.getByRole("button", { name: "Move “Check”" }).click();
    await userEvent.keyboard("{Delete}");
    await expect
      .element(page.getByRole("alert").first())
      .toHaveTextContent("Not taken. The agent changed the list at the same moment.Cancelled “Check”");
    expect(host.session(pursuit.id).goal?.todos[2]?.status).toBe("pending");
    await page.getByRole("button", { name: "Do it again" }).click();
    await expect.poll(() => host.session(pursuit.id).goal?.todos[2]?.status).toBe("cancelled");
    expect(titles()).toEqual(["look", "clear", "check", "more"]);
  });

  it("has a history: who changed what, at which iteration, and the list as it was", async () => {
    const pursuit = await openGoal();
    pursuit.signals("So.");
    pursuit.lists("user", [...LIST, todo("own", "My own")]);
    await panel().getByText("History").click();
    const history = page.getByRole("list", { name: "History" });
    await expect.element(history.getByRole("button", { name: /you 1 added iteration 1/ })).toBeVisible();
    await history.getByRole("button", { name: /agent 3 added/ }).click();
    await expect.element(history.getByText("Added “Look around”")).toBeVisible();
    await expect.element(page.getByRole("list", { name: "Change 1" })).toBeVisible();
  });
});
