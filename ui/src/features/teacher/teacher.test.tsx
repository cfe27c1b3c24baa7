import { beforeEach, describe, expect, it, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import { render } from "vitest-browser-react";
import type { Step, StepResult } from "@/ipc/bindings";
import { demoStep } from "@/ipc/demo/photoServer";
import { FakeHost } from "@/ipc/fakeHost";
import { HostContext } from "@/ipc/host";
import { axeViolations } from "@/test/axe";
import { ExplainDialog } from "./ExplainDialog";
import { outputMatches } from "./outputMatches";
import { TeacherStep } from "./TeacherStep";

const step = demoStep("clone", "Get the sources", "git clone here", "install", "caution");

function card(host: FakeHost, shown: Step, result: StepResult | null, onRun = vi.fn()) {
  return (
    <HostContext.Provider value={host}>
      <input aria-label="composer" />
      <TeacherStep
        sessionId="session"
        step={shown}
        result={result}
        onRun={onRun}
        onEdit={() => undefined}
        onSkip={() => undefined}
      />
    </HostContext.Provider>
  );
}

beforeEach(() => {
  document.documentElement.dataset.theme = "light";
});

describe("before the run", () => {
  it("takes the command apart and names its source", async () => {
    await render(card(new FakeHost(), step, null));
    await expect.element(page.getByText("keeps the history of files")).toBeVisible();
    await expect.element(page.getByText("makes ~/photo-server, about 40 MB")).toBeVisible();
    await expect.element(page.getByText("built-in knowledge")).toBeVisible();
    expect(await axeViolations()).toEqual([]);
  });

  it("runs by Ctrl Enter, but not from a text field", async () => {
    const onRun = vi.fn();
    await render(card(new FakeHost(), step, null, onRun));
    await page.getByRole("textbox", { name: "composer" }).click();
    await userEvent.keyboard("{Control>}{Enter}{/Control}");
    expect(onRun).not.toHaveBeenCalled();
    await page.getByText("Changes").click();
    await userEvent.keyboard("{Enter}");
    expect(onRun).not.toHaveBeenCalled();
    await userEvent.keyboard("{Control>}{Enter}{/Control}");
    expect(onRun).toHaveBeenCalledOnce();
  });

  it("says why there is no explanation and can ask again", async () => {
    const host = new FakeHost();
    const explain = vi.spyOn(host, "explain");
    explain.mockRejectedValueOnce({ code: "internal", message: "It did not work." });
    await render(card(host, step, null));
    await expect.element(page.getByText(/It did not work/)).toBeVisible();
    await page.getByRole("button", { name: "Try again" }).click();
    await expect.element(page.getByText("built-in knowledge")).toBeVisible();
  });
});

describe("after the run", () => {
  const result: StepResult = {
    stepId: "clone",
    attemptIndex: 0,
    command: "git clone here",
    cwd: "/",
    exitStatus: { type: "code", code: 0 },
    stdout: "took 12 ms\n",
    stderr: "",
    output: "took 12 ms\n",
    omittedLines: 0,
    startedAt: "2026-03-02T14:02:00Z",
    endedAt: "2026-03-02T14:02:02Z",
    filesChanged: ["/home/ada/a"],
    verify: null,
    leftovers: 0,
  };

  it("says what happened and whether it was as expected", async () => {
    const screen = await render(card(new FakeHost(), { ...step, expected: "took 99 ms" }, result));
    await expect.element(page.getByText("It worked: exit 0 in 2.0 s.")).toBeVisible();
    await expect.element(page.getByText("as the page expects")).toBeVisible();
    await expect.element(page.getByText("1 file changed: ~/a")).toBeVisible();
    await screen.rerender(card(new FakeHost(), { ...step, expected: "something else" }, result));
    await expect.element(page.getByText(/differs from what the page shows/)).toBeVisible();
  });

  it("forgives numbers, room and lines left out", () => {
    expect(outputMatches("a  1\n...\nlast", "a 23\nmiddle\nlast\n")).toBe(true);
    expect(outputMatches("a\nb", "a\nc")).toBe(false);
  });
});

it("explains any command without running it", async () => {
  const host = new FakeHost();
  const onClose = vi.fn();
  await render(
    <HostContext.Provider value={host}>
      <ExplainDialog sessionId="session" command="sudo git clone x" onClose={onClose} />
    </HostContext.Provider>,
  );
  const dialog = page.getByRole("dialog", { name: "What would this do?" });
  await expect.element(dialog.getByText("runs the rest as root")).toBeVisible();
  expect(await axeViolations()).toEqual([]);
  await userEvent.keyboard("{Escape}");
  expect(onClose).toHaveBeenCalledOnce();
  expect(host.submitted).toEqual([]);
});
