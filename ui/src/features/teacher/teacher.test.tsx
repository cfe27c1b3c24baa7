import { beforeEach, describe, expect, it, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import { render } from "vitest-browser-react";
import type { PlanInput, Step, StepResult } from "@/ipc/bindings";
import { explanationOf } from "@/ipc/demo/demoExplanation";
import { demoStep } from "@/ipc/demo/photoServer";
import { FakeHost } from "@/ipc/fakeHost";
import { HostContext } from "@/ipc/host";
import { CommandText } from "@/shared/CommandText";
import { axeViolations } from "@/test/axe";
import { ExplainDialog } from "./ExplainDialog";
import { filledIn } from "./filledIn";
import { useGuesses } from "./guesses";
import { HoverMeaning } from "./HoverMeaning";
import { outputMatches } from "./outputMatches";
import { partAt } from "./partAt";
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

const happened: StepResult = {
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

describe("after the run", () => {
  it("says what happened and whether it was as expected", async () => {
    const screen = await render(card(new FakeHost(), { ...step, expected: "took 99 ms" }, happened));
    await expect.element(page.getByText("It worked: exit 0 in 2.0 s.")).toBeVisible();
    await expect.element(page.getByText("as the page expects")).toBeVisible();
    await expect.element(page.getByText("1 file changed: ~/a")).toBeVisible();
    await screen.rerender(card(new FakeHost(), { ...step, expected: "something else" }, happened));
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

describe("guessing first", () => {
  beforeEach(() => useGuesses.setState({ asked: true, given: new Map() }));

  it("hides what comes until the reader guessed, and shows the guess beside what happened", async () => {
    const screen = await render(card(new FakeHost(), step, null));
    await expect.element(page.getByText("keeps the history of files")).toBeVisible();
    await expect.element(page.getByText("makes ~/photo-server, about 40 MB")).not.toBeInTheDocument();
    await page.getByLabelText("What will it print or change?").fill("a new folder");
    await page.getByRole("button", { name: "Keep my guess" }).click();
    await expect.element(page.getByText("makes ~/photo-server, about 40 MB")).toBeVisible();
    expect(await axeViolations()).toEqual([]);
    await screen.rerender(card(new FakeHost(), step, happened));
    await expect.element(page.getByText("Your guess: a new folder")).toBeVisible();
  });

  it("shows at once to whoever wants no guess", async () => {
    await render(card(new FakeHost(), step, null));
    await page.getByRole("button", { name: "Show me instead" }).click();
    await expect.element(page.getByText("makes ~/photo-server, about 40 MB")).toBeVisible();
  });

  it("is off unless it is turned on", async () => {
    useGuesses.setState({ asked: false });
    await render(card(new FakeHost(), step, null));
    await expect.element(page.getByText("makes ~/photo-server, about 40 MB")).toBeVisible();
    await page.getByRole("switch", { name: "Guess before each step" }).click();
    await expect.element(page.getByLabelText("What will it print or change?")).toBeVisible();
  });
});

it("gives a step into the reader's own hands", async () => {
  const onRun = vi.fn();
  await render(card(new FakeHost(), step, null, onRun));
  await page.getByRole("button", { name: "I'll do it myself" }).click();
  await expect.element(page.getByText(/in a terminal of your own/)).toBeVisible();
  await userEvent.keyboard("{Control>}{Enter}{/Control}");
  expect(onRun).not.toHaveBeenCalled();
  await expect.element(page.getByRole("button", { name: "Done" })).toBeVisible();
  expect(await axeViolations()).toEqual([]);
});

describe("values in a command", () => {
  const input = (name: string, text: string | null, label = name) =>
    [name, { name, label, value: text === null ? null : { type: "plain", text } }] as [string, PlanInput];
  const inputs = new Map([
    input("HOST", "a.example.org"),
    input("NAME", 'it\'s "x"'),
    input("KEY", null, "The key"),
  ]);

  it("stand as the shell would put them in", () => {
    expect(filledIn("ssh $HOST", inputs)).toEqual({ text: "ssh a.example.org", missing: [] });
    expect(filledIn('echo "$NAME" $NAME', inputs).text).toBe(`echo "it's \\"x\\"" 'it'\\''s "x"'`);
    expect(filledIn("echo '$HOST' \\$HOST $OTHER", inputs).text).toBe("echo '$HOST' \\$HOST $OTHER");
    expect(filledIn("x $KEY", inputs)).toEqual({ text: "x $KEY", missing: ["The key"] });
  });
});

it("finds the part of a command at a place", () => {
  const explanation = explanationOf("git clone git");
  expect(partAt(explanation, 0)?.text).toBe("git");
  expect(partAt(explanation, 6)?.text).toBe("clone");
  expect(partAt(explanation, 11)?.text).toBe("git");
});

it("tells the meaning of a part under the pointer wherever a command stands", async () => {
  await render(
    <HostContext.Provider value={new FakeHost()}>
      <CommandText command="git clone here" />
      <HoverMeaning sessionId="session" />
    </HostContext.Provider>,
  );
  await page.getByText("git clone here").hover({ position: { x: 4, y: 6 } });
  await expect.element(page.getByRole("tooltip")).toHaveTextContent("keeps the history of files");
});
