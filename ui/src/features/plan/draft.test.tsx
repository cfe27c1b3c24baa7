import { useState } from "react";
import { Toaster } from "sonner";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { page, userEvent } from "vitest/browser";
import { cleanup, render } from "vitest-browser-react";
import type { Command, Event, SessionState } from "@/ipc/bindings";
import { revisedDraft } from "@/ipc/demo/draftEdits";
import { revisionOf } from "@/ipc/demo/revisionOf";
import { FakeHost, type FakeOptions } from "@/ipc/fakeHost";
import { HostContext } from "@/ipc/host";
import { applyRecord } from "@/state/fold";
import { axeViolations } from "@/test/axe";
import * as fixtures from "./fixtures";
import { PlanPanel } from "./PlanPanel";

type LiveProps = { start: SessionState; sent: Command[]; host: FakeHost };

/** The panel on an engine of its own: edits come back as revisions, as they would. */
function Live({ start, sent, host }: LiveProps) {
  const [session, setSession] = useState(start);
  const onCommand = async (command: Command) => {
    sent.push(command);
    // The engine answers a moment later.
    await new Promise((done) => setTimeout(done, 30));
    setSession((held) => {
      const event = held.plan && eventFor(held, command, `new-${sent.indexOf(command) + 1}`);
      if (!event) return held;
      const record = { sessionId: held.id, seq: held.seq + 1, at: held.createdAt, event };
      const folded = applyRecord(held, record);
      return folded.type === "applied" ? folded.state : held;
    });
  };
  return (
    <HostContext.Provider value={host}>
      <div style={{ height: 800, width: 640 }}>
        <PlanPanel
          session={session}
          onCommand={onCommand}
          compareWith={null}
          onCompare={() => undefined}
          onGuidance={() => undefined}
        />
      </div>
      <Toaster />
    </HostContext.Provider>
  );
}

function eventFor({ plan }: SessionState, command: Command, id: string): Event | null {
  if (!plan) return null;
  switch (command.type) {
    case "add-step":
    case "remove-step":
    case "move-step":
      return revisedDraft(plan, command, id);
    case "edit": {
      const { stepId } = command;
      const steps = plan.steps.map((step) =>
        step.id === stepId
          ? { ...step, action: { type: "shell" as const, command: command.command }, assessment: null }
          : step,
      );
      const revised = { ...plan, revision: plan.revision + 1, steps };
      return revisionOf(plan, revised, { author: { type: "user" }, reason: "x", stepId });
    }
    default:
      return null;
  }
}

async function live(start: SessionState, options: FakeOptions = {}) {
  const sent: Command[] = [];
  await render(<Live start={start} sent={sent} host={new FakeHost({ speed: 1000, ...options })} />);
  return sent;
}

const order = () =>
  [...document.querySelectorAll<HTMLElement>("li[data-step]")].map((row) => row.dataset.step);
const grip = (title: string) => page.getByRole("button", { name: `Move ${title}` });
const menu = async (title: string, item: string) => {
  await page.getByRole("button", { name: `Actions for ${title}` }).click();
  await page.getByRole("menuitem", { name: item }).click();
};
const announced = () =>
  [...document.querySelectorAll('[role="status"].sr-only')].map((said) => said.textContent).join("|");

beforeEach(() => {
  document.documentElement.dataset.theme = "light";
});
afterEach(() => cleanup());

describe("another order", () => {
  it("comes by key, keeps the focus on the step, and is announced", async () => {
    const sent = await live(fixtures.draftSession());
    (grip("Get the sources").element() as HTMLElement).focus();
    await userEvent.keyboard("{Alt>}{ArrowDown}{/Alt}");
    await expect.poll(() => order().slice(0, 3)).toEqual(["look", "venv", "clone"]);
    await expect.element(grip("Get the sources")).toHaveFocus();
    await expect.poll(announced).toContain("“Get the sources” is now step 3 of 7.");
    await userEvent.keyboard("{Alt>}{ArrowDown}{/Alt}");
    await expect.poll(() => order().slice(0, 4)).toEqual(["look", "venv", "pip", "clone"]);
    await expect.element(grip("Get the sources")).toHaveFocus();
    await expect.poll(announced).toContain("“Get the sources” is now step 4 of 7.");
    await userEvent.keyboard("{Alt>}{ArrowUp}{/Alt}");
    await expect.poll(() => order().slice(0, 4)).toEqual(["look", "venv", "clone", "pip"]);
    expect(sent).toEqual([
      { type: "move-step", stepId: "clone", to: 2 },
      { type: "move-step", stepId: "clone", to: 3 },
      { type: "move-step", stepId: "clone", to: 2 },
    ]);
  });

  it("ends at both ends of the plan", async () => {
    const sent = await live(fixtures.draftSession());
    (grip("Look at what is installed").element() as HTMLElement).focus();
    await userEvent.keyboard("{Alt>}{ArrowUp}{/Alt}");
    (grip("Check that it answers").element() as HTMLElement).focus();
    await userEvent.keyboard("{Alt>}{ArrowDown}{/Alt}");
    expect(sent).toEqual([]);
  });

  it("asks for the focus once, and not again when the plan changes later", async () => {
    await live(fixtures.draftSession());
    (grip("Get the sources").element() as HTMLElement).focus();
    await userEvent.keyboard("{Alt>}{ArrowDown}{/Alt}");
    await expect.poll(() => order()[2]).toBe("clone");
    await menu("Look at what is installed", "Edit command");
    await page.getByRole("textbox", { name: "Command" }).fill("uname -a");
    await page.getByRole("button", { name: "Save" }).click();
    await expect.element(page.getByText("uname -a")).toBeVisible();
    await expect.element(grip("Get the sources")).not.toHaveFocus();
  });

  it("comes by dragging, with a line where it would go", async () => {
    const sent = await live(fixtures.draftSession());
    const from = grip("Get the sources").element();
    const box = from.getBoundingClientRect();
    const below = grip("Install the Python packages").element().closest("li")?.getBoundingClientRect();
    const fire = (type: string, y: number) =>
      from.dispatchEvent(
        new PointerEvent(type, { bubbles: true, button: 0, clientX: box.x + 4, clientY: y }),
      );
    fire("pointerdown", box.y + 4);
    fire("pointermove", (below?.bottom ?? 0) - 4);
    await expect.poll(() => document.querySelector("[data-drop-line]")).not.toBeNull();
    expect(sent).toEqual([]);
    fire("pointerup", (below?.bottom ?? 0) - 4);
    await expect.poll(() => order().slice(0, 4)).toEqual(["look", "venv", "pip", "clone"]);
    expect(document.querySelector("[data-drop-line]")).toBeNull();
    expect(sent).toEqual([{ type: "move-step", stepId: "clone", to: 3 }]);
  });

  it("is left alone by Escape, and by a click", async () => {
    const sent = await live(fixtures.draftSession());
    const from = grip("Get the sources").element();
    const box = from.getBoundingClientRect();
    const fire = (type: string, y: number) =>
      from.dispatchEvent(new PointerEvent(type, { bubbles: true, button: 0, clientX: box.x, clientY: y }));
    fire("pointerdown", box.y);
    fire("pointermove", box.y + 200);
    await expect.poll(() => document.querySelector("[data-drop-line]")).not.toBeNull();
    await userEvent.keyboard("{Escape}");
    await expect.poll(() => document.querySelector("[data-drop-line]")).toBeNull();
    fire("pointerup", box.y + 200);
    fire("pointerdown", box.y);
    fire("pointermove", box.y + 2);
    fire("pointerup", box.y + 2);
    expect(sent).toEqual([]);
  });

  it("belongs to a draft only", async () => {
    const sent = await live(fixtures.longPlan(3));
    expect(page.getByRole("button", { name: /^Move / }).elements()).toHaveLength(0);
    (page.getByRole("button", { name: "Actions for Part 1 of the page" }).element() as HTMLElement).focus();
    await userEvent.keyboard("{Alt>}{ArrowDown}{/Alt}");
    expect(sent).toEqual([]);
  });
});

describe("more and fewer steps", () => {
  it("adds one after any step, and gives it the focus", async () => {
    const sent = await live(fixtures.draftSession());
    await menu("Get the sources", "Add a step below");
    await expect.element(page.getByRole("textbox", { name: "Title" })).toHaveFocus();
    await userEvent.keyboard("Free some room");
    await page.getByRole("textbox", { name: "Command" }).fill("du -sh .");
    await userEvent.keyboard("{Control>}{Enter}{/Control}");
    expect(sent).toEqual([
      { type: "add-step", after: "clone", title: "Free some room", command: "du -sh ." },
    ]);
    await expect.poll(() => order()[2]).toBe("new-1");
    await expect.element(grip("Free some room")).toHaveFocus();
    await expect.element(page.getByRole("button", { name: "Run 8 steps" })).toBeVisible();
  });

  it("adds before the first and after the last, and leaves a title that is not given to the engine", async () => {
    const sent = await live(fixtures.draftSession());
    await menu("Look at what is installed", "Add a step above");
    await page.getByRole("textbox", { name: "Command" }).fill("date");
    await page.getByRole("button", { name: "Add step" }).click();
    await expect.poll(() => order()[0]).toBe("new-1");
    await expect.element(grip("date")).toHaveFocus();
    await page.getByRole("button", { name: "Add a step" }).click();
    await page.getByRole("textbox", { name: "Command" }).fill("uptime\nwho");
    await page.getByRole("button", { name: "Add step" }).click();
    expect(sent).toEqual([
      { type: "add-step", after: null, title: "", command: "date" },
      { type: "add-step", after: "check", title: "", command: "uptime\nwho" },
    ]);
  });

  it("adds nothing without a command, and leaves by Escape", async () => {
    const sent = await live(fixtures.draftSession());
    await page.getByRole("button", { name: "Add a step" }).click();
    await userEvent.keyboard("only a title");
    await expect.element(page.getByRole("button", { name: "Add step" })).toBeDisabled();
    await userEvent.keyboard("{Control>}{Enter}{/Control}{Escape}");
    await expect.element(page.getByRole("form", { name: "New step" })).not.toBeInTheDocument();
    expect(sent).toEqual([]);
  });

  it("removes one, says so once it is gone, and puts it back where it was", async () => {
    const sent = await live(fixtures.draftSession());
    await menu("Get the sources", "Remove step");
    await expect.poll(() => order().slice(0, 2)).toEqual(["look", "venv"]);
    await expect.element(page.getByText("Removed “Get the sources”.")).toBeVisible();
    await expect.element(grip("Make a Python environment")).toHaveFocus();
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => order().slice(0, 3)).toEqual(["look", "new-2", "venv"]);
    expect(sent[1]).toEqual({
      type: "add-step",
      after: "look",
      title: "Get the sources",
      command: "git clone ~/mirrors/photo-server.git && cd photo-server",
    });
  });

  it("removes by Delete on the grip", async () => {
    const sent = await live(fixtures.draftSession());
    (grip("Check that it answers").element() as HTMLElement).focus();
    await userEvent.keyboard("{Delete}");
    await expect.element(grip("Start the server")).toHaveFocus();
    expect(sent).toEqual([{ type: "remove-step", stepId: "check" }]);
  });

  it("keeps the last one, and says why", async () => {
    const draft = fixtures.draftSession();
    const plan = draft.plan && { ...draft.plan, steps: draft.plan.steps.slice(0, 1) };
    const sent = await live({ ...draft, plan });
    await page.getByRole("button", { name: "Actions for Look at what is installed" }).click();
    const remove = page.getByRole("menuitem", { name: "Remove step (a plan needs one)" });
    await expect.element(remove).toHaveAttribute("aria-disabled", "true");
    await userEvent.keyboard("{Escape}");
    (grip("Look at what is installed").element() as HTMLElement).focus();
    await userEvent.keyboard("{Delete}");
    expect(sent).toEqual([]);
  });
});

describe("consent", () => {
  it("ends when the ticked command is changed", async () => {
    const sent = await live(fixtures.dangerousDraft());
    await page.getByRole("checkbox", { name: /Clear the old cache/ }).click();
    await expect.element(page.getByText("1 dangerous step is allowed for this run.")).toBeVisible();
    await menu("Clear the old cache", "Edit command");
    await page.getByRole("textbox", { name: "Command" }).fill("rm -rf ~");
    await page.getByRole("button", { name: "Save" }).click();
    await expect.element(page.getByText("being checked").first()).toBeVisible();
    await page.getByRole("button", { name: "Run 8 steps" }).click();
    expect(sent.find((command) => command.type === "confirm")).toMatchObject({ allowed: [] });
  });

  it("of a plan made for a message says that the conversation goes on", async () => {
    const draft = fixtures.draftSession();
    const origin = { type: "model", name: "kimi-k2.5", messageId: "m1" } as const;
    await live({ ...draft, plan: draft.plan && { ...draft.plan, origin } });
    await expect.element(page.getByText(/Rejecting it goes on with the conversation instead/)).toBeVisible();
  });
});

describe("the stronger model", () => {
  const stronger = {
    settings: { strongerModel: { provider: "anthropic", baseUrl: null, model: null } as const },
    models: { keys: { anthropic: "keyring" as const } },
  };

  it("is asked only after its price has been seen", async () => {
    const sent = await live(fixtures.stuck(), stronger);
    await page.getByRole("button", { name: "Ask claude-opus-4-6 (about $0.04)" }).click();
    const question = page.getByRole("region", { name: "Ask claude-opus-4-6?" });
    await expect
      .element(question.getByText(/about 3.1k tokens, and writes about 800: about \$0.04/))
      .toBeVisible();
    expect(sent).toEqual([]);
    await expect.element(question.getByRole("button", { name: "Back" })).toHaveFocus();
    await userEvent.keyboard("{Enter}");
    await expect.element(question).not.toBeInTheDocument();
    expect(sent).toEqual([]);
    await page.getByRole("button", { name: /^Ask claude/ }).click();
    await question.getByRole("button", { name: "Ask claude-opus-4-6" }).click();
    expect(sent).toEqual([{ type: "escalate" }]);
  });

  it("says when its price is not known", async () => {
    await live(fixtures.stuck(), {
      settings: { strongerModel: { provider: "local", baseUrl: null, model: "big" } },
    });
    await expect.element(page.getByRole("button", { name: "Ask big (price unknown)" })).toBeVisible();
  });

  it("is not offered where there is none", async () => {
    await live(fixtures.stuck());
    await expect.element(page.getByRole("button", { name: "Raise the budget once" })).toBeVisible();
    await new Promise((done) => setTimeout(done, 100));
    expect(page.getByRole("button", { name: /^Ask / }).elements()).toHaveLength(0);
  });
});

describe("every theme", () => {
  it.each(["light", "dark", "contrast"])("has nothing for axe to find in %s", async (theme) => {
    document.documentElement.dataset.theme = theme;
    await live(fixtures.dangerousDraft());
    await menu("Get the sources", "Remove step");
    await expect.element(page.getByText("Removed “Get the sources”.")).toBeVisible();
    await page.getByRole("button", { name: "Add a step" }).click();
    await expect.element(page.getByRole("form", { name: "New step" })).toBeVisible();
    expect(await axeViolations()).toEqual([]);
  });

  it.each(["light", "dark", "contrast"])("shows the price to axe in %s", async (theme) => {
    document.documentElement.dataset.theme = theme;
    await live(fixtures.stuck(), {
      settings: { strongerModel: { provider: "local", baseUrl: null, model: "big" } },
    });
    await page.getByRole("button", { name: /^Ask big/ }).click();
    expect(await axeViolations()).toEqual([]);
  });
});
