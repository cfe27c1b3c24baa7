import { afterEach, describe, expect, it } from "vitest";
import { page, userEvent } from "vitest/browser";
import { cleanup, render } from "vitest-browser-react";
import type { Command, SessionState, SkippedFile, UndoTarget } from "@/ipc/bindings";
import { DEMO_FOLDER } from "@/ipc/demo/photoServer";
import { FakeHost } from "@/ipc/fakeHost";
import { HostContext } from "@/ipc/host";
import * as fixtures from "./fixtures";
import { PlanPanel } from "./PlanPanel";

async function show(session: SessionState) {
  const asked: UndoTarget[] = [];
  const sent: Command[] = [];
  const host = new FakeHost();
  const panel = (shown: SessionState) => (
    <HostContext.Provider value={host}>
      <div style={{ height: 900, width: 700 }}>
        <PlanPanel
          session={shown}
          onCommand={async (command) => void sent.push(command)}
          compareWith={null}
          onCompare={() => undefined}
          onGuidance={() => undefined}
          onReport={() => undefined}
          onUndo={(target) => asked.push(target)}
        />
      </div>
    </HostContext.Provider>
  );
  const screen = await render(panel(session));
  return { asked, sent, rerender: (next: SessionState) => screen.rerender(panel(next)) };
}

const row = (id: string) => document.querySelector<HTMLElement>(`li[data-step="${id}"]`);
const opened = (title: string) => page.getByRole("button", { name: title, exact: true }).click();
const menu = (title: string) => page.getByRole("button", { name: `Actions for ${title}` }).click();

afterEach(() => cleanup());

describe("a finished step", () => {
  it("is undone from its details, its menu and by key", async () => {
    const { asked } = await show(fixtures.kept());
    const target = { type: "step", stepId: "clone" };
    await opened("Get the sources");
    await page.getByRole("button", { name: "Undo this step" }).click();
    expect(asked).toEqual([target]);
    await menu("Get the sources");
    await page.getByRole("menuitem", { name: /Undo this step/ }).click();
    expect(asked).toEqual([target, target]);
    row("clone")?.querySelector<HTMLElement>("button")?.focus();
    await userEvent.keyboard("{Control>}z{/Control}");
    expect(asked).toEqual([target, target, target]);
  });

  it.each([
    ["Look at what is installed", "Nothing to undo: it only reads."],
    ["Make a Python environment", "Nothing to undo: it changed no file."],
    ["Install the Python packages", "Nothing to undo among files; not kept: packages that it installs."],
    ["Start the server", "Cannot be undone: nothing was kept before it ran."],
  ])("%s says why it cannot be", async (title, why) => {
    const { asked } = await show(fixtures.kept());
    await opened(title);
    await expect.element(page.getByText(why)).toBeVisible();
    await menu(title);
    const item = page.getByRole("menuitem", { name: /Undo this step/ });
    await expect.element(item).toHaveAttribute("aria-disabled", "true");
    await expect.element(item).toHaveTextContent(why);
    expect(asked).toEqual([]);
  });

  it("waits while the run goes on", async () => {
    const session = fixtures.repairRunning();
    await show({ ...session, checkpoints: [fixtures.checkpointOf("clone")] });
    await opened("Get the sources");
    await expect.element(page.getByText("Pause or stop the run first.")).toBeVisible();
  });

  it("that is undone says so, and is put back again", async () => {
    const { asked } = await show({ ...fixtures.kept(), undone: [fixtures.undoRecord("undo-1")] });
    expect(row("clone")?.textContent).toContain("undone");
    expect(row("venv")?.textContent).not.toContain("undone");
    await page.getByRole("button", { name: "Get the sources undone" }).click();
    await expect.element(page.getByText(/1 file put back, 1 moved to the trash/).first()).toBeVisible();
    await page.getByRole("button", { name: "Put it back again" }).first().click();
    expect(asked).toEqual([{ type: "undo", undoId: "undo-1" }]);
  });

  it("is undone in part when some of its files were left alone, and not at all when all were", async () => {
    const left = (name: string) => ({ path: `${DEMO_FOLDER}/${name}`, why: "It has changed since." });
    const undo = (skipped: SkippedFile[]) => [fixtures.undoRecord("undo-1", { skipped })];
    const session = fixtures.kept();
    const both = [left("manage.py"), left("setup.py")];
    const { rerender } = await show({ ...session, undone: undo(both.slice(1)) });
    expect(row("clone")?.textContent).toContain("partly undone");
    expect(row("migrate")?.textContent).toContain("undone");
    expect(row("migrate")?.textContent).not.toContain("partly");
    await rerender({ ...session, undone: undo(both) });
    expect(row("clone")?.textContent).not.toContain("undone");
    expect(row("migrate")?.textContent).toContain("undone");
  });

  it("that has run again since is not undone any more", async () => {
    const session = fixtures.kept();
    const checkpoints = [fixtures.checkpointOf("clone", { at: "2026-03-02T15:00:00Z" })];
    await show({ ...session, checkpoints, undone: [fixtures.undoRecord("undo-1")] });
    expect(row("clone")?.textContent).not.toContain("undone");
    await opened("Get the sources");
    await expect.element(page.getByRole("button", { name: "Undo this step" })).toBeVisible();
  });
});

describe("before a run", () => {
  it("each step and the plan say what can be undone", async () => {
    await show(fixtures.dangerousDraft());
    expect(row("clone")?.textContent).toContain("By hand: move the folder to the trash");
    expect(row("clear")?.textContent).toContain("Cannot be undone: deleted files are not kept");
    expect(row("look")?.textContent).not.toContain("undone");
    await expect.element(page.getByText("2 by hand, 1 not at all")).toBeVisible();
  });
});

describe("the end", () => {
  it("offers to undo the run, and each revision to go back to", async () => {
    const { asked } = await show(fixtures.kept());
    await page.getByRole("button", { name: "Undo this run" }).click();
    expect(asked).toEqual([{ type: "plan", planId: "plan" }]);
    await page.getByRole("button", { name: /Revisions of this plan/ }).click();
    await page.getByRole("menuitem", { name: /Back to the start of r2/ }).click();
    expect(asked[1]).toEqual({ type: "revision", planId: "plan", revision: 2 });
  });

  it("says why a run cannot be undone", async () => {
    await show(fixtures.completed());
    await expect.element(page.getByText("Nothing to undo: no step changed a file.").first()).toBeVisible();
    await expect.element(page.getByRole("button", { name: "Undo this run" })).not.toBeInTheDocument();
  });

  it("tells what a rollback put back and what it left alone", async () => {
    const { asked } = await show(fixtures.rolledBack());
    await expect.element(page.getByText("Put back: pip.log.")).toBeVisible();
    await expect.element(page.getByText("Left alone: mine.txt. It has changed since.")).toBeVisible();
    await page.getByRole("button", { name: "Bring these changes back" }).click();
    expect(asked).toEqual([{ type: "undo", undoId: "rollback-1" }]);
  });

  it("says what to do when nothing could be kept", async () => {
    const { sent } = await show(fixtures.notKept());
    await expect.element(page.getByText(/Make room on the disk, then go on/)).toBeVisible();
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("button", { name: "Skip the step" }).click();
    expect(sent).toEqual([
      { type: "resume", mode: null },
      { type: "skip", stepId: "pip" },
    ]);
  });
});
