import { describe, expect, it, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import { render } from "vitest-browser-react";
import type { Command, Plan, SessionState } from "@/ipc/bindings";
import { FakeHost } from "@/ipc/fakeHost";
import { HostContext } from "@/ipc/host";
import { liveOutput } from "@/state/liveOutput";
import { axeViolations } from "@/test/axe";
import * as fixtures from "./fixtures";
import { PlanPanel, type PlanPanelProps } from "./PlanPanel";

function panel(session: SessionState, props: Partial<PlanPanelProps> = {}) {
  return (
    <HostContext.Provider value={new FakeHost()}>
      <div style={{ height: 800, width: 640 }}>
        <PlanPanel
          onUndo={() => undefined}
          session={session}
          onCommand={async () => undefined}
          compareWith={null}
          onCompare={() => undefined}
          onGuidance={() => undefined}
          {...props}
        />
      </div>
    </HostContext.Provider>
  );
}

function recorder() {
  const sent: Command[] = [];
  return { sent, onCommand: async (command: Command) => void sent.push(command) };
}

const row = (id: string) => document.querySelector<HTMLElement>(`li[data-step="${id}"]`);
const settled = () => new Promise((done) => setTimeout(done, 400));

describe("every state", () => {
  const states: [string, () => SessionState][] = [
    ["draft", fixtures.draftSession],
    ["draft with danger", fixtures.dangerousDraft],
    ["analysing", fixtures.analysing],
    ["repairing", fixtures.repairRunning],
    ["asked", fixtures.repairAsked],
    ["teaching", fixtures.teaching],
    ["stuck", fixtures.stuck],
    ["failed", fixtures.failed],
    ["interrupted", fixtures.interrupted],
    ["completed", fixtures.completed],
    ["kept", fixtures.kept],
    ["rolled back", fixtures.rolledBack],
    ["not kept", fixtures.notKept],
  ];
  for (const theme of ["light", "dark", "contrast"]) {
    it.each(states)(`%s has nothing for axe to find in ${theme}`, async (_name, make) => {
      document.documentElement.dataset.theme = theme;
      await render(panel(make()));
      expect(await axeViolations()).toEqual([]);
    });
  }
});

describe("the end", () => {
  it("counts a step whose command was mended as a repair too, and not what the reader changed", async () => {
    const done = fixtures.completed();
    const plan = done.plan as Plan;
    const changedBy = (source: string) => ({ before: "true", revision: 3, source, reason: "It failed." });
    const steps = plan.steps.map((step, at) => {
      if (at === 0) return { ...step, changed: changedBy("guide:python-path") };
      return at === 1 ? { ...step, changed: changedBy("you") } : step;
    });
    await render(panel({ ...done, plan: { ...plan, steps } }));
    await expect.element(page.getByText("2 repairs were needed.")).toBeVisible();
  });
});

describe("confirmation", () => {
  it("sends the ticked dangerous steps with the revision, then starts", async () => {
    const { sent, onCommand } = recorder();
    await render(panel(fixtures.dangerousDraft(), { onCommand }));
    await expect.element(page.getByText("You will be asked about 1 dangerous step")).toBeVisible();
    await page.getByRole("checkbox", { name: /Clear the old cache/ }).click();
    await expect.element(page.getByText("1 dangerous step is allowed for this run.")).toBeVisible();
    await page.getByRole("button", { name: "Run 8 steps" }).click();
    expect(sent).toEqual([
      { type: "confirm", revision: 1, allowed: ["clear"] },
      { type: "start", mode: null },
    ]);
  });

  it("says when the settings ask before every change", async () => {
    const session = fixtures.draftSession();
    const changes = session.plan?.steps.filter((step) => step.assessment?.risk === "caution").length;
    expect(changes).toBeGreaterThan(1);
    await render(panel(session, { careful: true }));
    await expect
      .element(page.getByText(`You will be asked about ${changes} steps that change something`))
      .toBeVisible();
    expect(page.getByText("Nothing dangerous in it.").query()).toBeNull();
  });

  it("edits a command in place", async () => {
    const { sent, onCommand } = recorder();
    await render(panel(fixtures.draftSession(), { onCommand }));
    await page.getByRole("button", { name: "Actions for Get the sources" }).click();
    await page.getByRole("menuitem", { name: "Edit command" }).click();
    const field = page.getByRole("textbox", { name: "Command" });
    await expect.element(field).toHaveFocus();
    await field.fill("git clone here");
    await userEvent.keyboard("{Control>}{Enter}{/Control}");
    expect(sent).toEqual([{ type: "edit", stepId: "clone", command: "git clone here", run: false }]);
  });
});

describe("the run", () => {
  it("says that a pause waits for the running step", async () => {
    const { sent, onCommand } = recorder();
    const screen = await render(panel(fixtures.repairRunning(), { onCommand }));
    await page.getByRole("button", { name: "Pause", exact: true }).click();
    expect(sent).toEqual([{ type: "pause" }]);
    await screen.rerender(panel(fixtures.repairRunning(), { onCommand, pausing: true }));
    await expect.element(page.getByRole("button", { name: "Pausing after this step" })).toBeDisabled();
  });

  it("locks the mode while running and frees it when paused", async () => {
    const screen = await render(panel(fixtures.repairRunning()));
    await expect.element(page.getByRole("radio", { name: "Planner" })).toBeDisabled();
    await screen.rerender(panel(fixtures.interrupted()));
    await expect.element(page.getByRole("radio", { name: "Planner" })).toBeEnabled();
    await expect.element(page.getByRole("button", { name: "Resume" })).toBeVisible();
  });

  it("says that the disk is full, where, and what to do", async () => {
    const { sent, onCommand } = recorder();
    await render(panel(fixtures.withoutRoom("/home/ada/.local/share/planwright"), { onCommand }));
    await expect
      .element(page.getByText(/no room on the disk that holds \/home\/ada\/.local\/share\/planwright/))
      .toBeVisible();
    await expect.element(page.getByText(/free some, then press Resume/)).toBeVisible();
    await page.getByRole("button", { name: "Resume" }).click();
    expect(sent).toEqual([{ type: "resume", mode: null }]);
    expect(await axeViolations()).toEqual([]);
  });

  it("shows live output as text, never as markup", async () => {
    const session = fixtures.repairRunning();
    liveOutput.append(session.id, "headers", 0, [
      {
        stream: "stdout",
        text: "<img src=x onerror=alert(1)> \u001b[32mgreen\u001b[0m\n",
        atMillis: 1,
        fromByte: 0,
        bytes: 46,
      },
    ]);
    await render(panel(session));
    await expect.element(page.getByText("<img src=x onerror=alert(1)>")).toBeVisible();
    expect(row("headers")?.querySelector("img")).toBeNull();
    expect(document.querySelector(".ansi-green-fg")?.textContent).toBe("green");
    liveOutput.forget(session.id);
  });

  it("says that it stops until the engine has answered", async () => {
    let answer: () => void = () => undefined;
    const onCommand = vi.fn(
      () =>
        new Promise<void>((done) => {
          answer = done;
        }),
    );
    await render(panel(fixtures.repairRunning(), { onCommand }));
    await page.getByRole("button", { name: "Stop" }).click();
    await expect.element(page.getByRole("button", { name: "Stopping…" })).toBeDisabled();
    answer();
    await expect.element(page.getByRole("button", { name: "Stop" })).toBeEnabled();
    expect(onCommand).toHaveBeenCalledExactlyOnceWith({ type: "cancel" });
  });

  it("offers every way out when stuck", async () => {
    const { sent, onCommand } = recorder();
    await render(panel(fixtures.stuck(), { onCommand, alternatives: ["use the system's package"] }));
    await page.getByRole("button", { name: "use the system's package" }).click();
    await page.getByRole("button", { name: "Send guidance" }).click();
    await page.getByRole("button", { name: "Take over in Teacher" }).click();
    await page.getByRole("button", { name: "Raise the budget once" }).click();
    await page.getByRole("button", { name: "Edit the step" }).click();
    await expect.element(page.getByRole("textbox", { name: "Command" })).toHaveFocus();
    expect(sent).toEqual([
      { type: "guide", text: "use the system's package" },
      { type: "resume", mode: "teacher" },
      { type: "raise-budget" },
    ]);
  });

  it("asks which of several commands was meant, and runs the one that is chosen", async () => {
    const { sent, onCommand } = recorder();
    const candidates = [
      { command: "git stash pop", does: "brings back what was put aside", risk: "caution" as const },
      { command: "git stash push", does: "", risk: "safe" as const },
    ];
    await render(panel(fixtures.stuck(), { onCommand, candidates }));
    await expect.element(page.getByText("Several commands can have been meant.")).toBeVisible();
    await expect.element(page.getByText("brings back what was put aside")).toBeVisible();
    await expect.element(page.getByText("What it does is not known.")).toBeVisible();
    await page.getByRole("button", { name: "Run git stash push" }).click();
    expect(sent).toEqual([{ type: "edit", stepId: "pip", command: "git stash push", run: true }]);
  });

  it("lets the user decide about an interrupted step", async () => {
    const { sent, onCommand } = recorder();
    await render(panel(fixtures.interrupted(), { onCommand }));
    await page.getByRole("button", { name: "Retry" }).click();
    await page.getByRole("button", { name: "Skip", exact: true }).click();
    expect(sent).toEqual([
      { type: "retry", stepId: "pip" },
      { type: "skip", stepId: "pip" },
    ]);
  });

  it("says when a step runs again, and which attempt that is", async () => {
    const session = fixtures.interrupted();
    const plan = session.plan as Plan;
    const steps = plan.steps.map((step) =>
      step.id === "pip"
        ? { ...step, state: { type: "recovering" as const, attempt: 0, since: "2026-05-31T10:00:00Z" } }
        : step,
    );
    const retry = {
      stepId: "pip",
      attempt: 2,
      allowed: 4,
      until: new Date(Date.now() + 8000).toISOString(),
    };
    await render(panel({ ...session, plan: { ...plan, steps }, retry }));
    await expect.element(page.getByText(/runs again in [78] s \(2 of 4\)/)).toBeVisible();
  });

  it("asks with a skip whether what needs the step is skipped too", async () => {
    const { sent, onCommand } = recorder();
    const session = fixtures.interrupted();
    const plan = session.plan as Plan;
    const at = plan.steps.findIndex((step) => step.id === "pip");
    const steps = plan.steps.map((step, index) => ({
      ...step,
      dependsOn: index > at ? [plan.steps[index - 1]?.id ?? ""] : [],
      state: index > at ? { type: "pending" as const } : step.state,
    }));
    await render(panel({ ...session, plan: { ...plan, steps } }, { onCommand }));
    await page.getByRole("button", { name: "Skip", exact: true }).first().click();
    expect(sent).toEqual([]);
    await expect.element(page.getByText(/later steps? needs? it/)).toBeVisible();
    expect(await axeViolations()).toEqual([]);
    await page.getByRole("button", { name: /Skip (both|all of them)/ }).click();
    expect(sent).toEqual([{ type: "skip", stepId: "pip", withDependents: true }]);
  });

  it("opens a finished step to its output and exit status", async () => {
    await render(panel(fixtures.completed()));
    await page.getByRole("button", { name: "Get the sources", exact: true }).click();
    await expect.element(page.getByText("Cloning into 'photo-server'...")).toBeVisible();
    await expect.element(page.getByText("exit 0 after 1.8 s")).toBeVisible();
  });
});

describe("a revision", () => {
  it("keeps the rows and the focus, and is announced once", async () => {
    const before = fixtures.analysing();
    const after = fixtures.repairRunning();
    const screen = await render(panel(before));
    const rows = ["look", "clone", "venv", "pip", "migrate"].map(row);
    const focused = page.getByRole("button", { name: "Get the sources", exact: true }).element();
    if (focused instanceof HTMLElement) focused.focus();
    await screen.rerender(panel(after));
    await settled();
    expect(["look", "clone", "venv", "pip", "migrate"].map(row)).toEqual(rows);
    expect(rows.every((element) => element?.isConnected)).toBe(true);
    expect(document.activeElement).toBe(focused);
    const said = [...document.querySelectorAll("[role=status]")].map((element) => element.textContent);
    expect(said).toContain("Plan revised: 1 step added");
    await expect.element(page.getByText("added in r2")).toBeVisible();
    await expect.element(page.getByText("Added by the field guide:")).toBeVisible();
  });

  it("holds what the reader looks at when a step comes in above it", async () => {
    const session = fixtures.longPlan(300);
    const screen = await render(panel(session));
    const scroller = document.querySelector("ol")?.parentElement;
    if (!scroller || !session.plan) throw new Error("the list scrolls");
    scroller.scrollTop = 6000;
    await settled();
    const seen = [...document.querySelectorAll<HTMLElement>("li[data-step]")].find(
      (element) => element.getBoundingClientRect().top > scroller.getBoundingClientRect().top,
    );
    const id = seen?.dataset.step ?? "";
    const top = seen?.getBoundingClientRect().top ?? 0;
    const [one, ...rest] = session.plan.steps;
    if (!one) throw new Error("the plan has steps");
    const steps = [one, { ...one, id: "new" }, ...rest].map((step, index) => ({ ...step, index }));
    await screen.rerender(panel({ ...session, plan: { ...session.plan, steps, revision: 2 } }));
    await settled();
    expect(Math.abs((row(id)?.getBoundingClientRect().top ?? 0) - top)).toBeLessThan(2);
  });

  it("is compared with an earlier one in words", async () => {
    await render(panel(fixtures.repairRunning(), { compareWith: 1 }));
    const dialog = page.getByRole("dialog", { name: "r1 and r2" });
    await expect.element(dialog.getByText("What changed: 1 step added.")).toBeVisible();
    await expect.element(dialog.getByText("added", { exact: true })).toBeVisible();
    expect(await axeViolations()).toEqual([]);
  });
});

describe("10 000 steps", () => {
  it("draws a window of them", async () => {
    const session = fixtures.longPlan(10_000);
    const start = performance.now();
    await render(panel(session));
    await expect.element(page.getByText("Part 1 of the page")).toBeVisible();
    expect(performance.now() - start).toBeLessThan(2_000);
    expect(document.querySelectorAll("li[data-step]").length).toBeLessThan(60);
    expect(row("step-0")?.getAttribute("aria-setsize")).toBe("10000");
  });
});
