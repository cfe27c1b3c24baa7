import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { page, userEvent } from "vitest/browser";
import { cleanup, render } from "vitest-browser-react";
import type { Command, LeftOut, PageReading, PageRole, QuestionEstimate, SessionState } from "@/ipc/bindings";
import { demoStep } from "@/ipc/demo/photoServer";
import { FakeHost } from "@/ipc/fakeHost";
import { HostContext } from "@/ipc/host";
import { axeViolations } from "@/test/axe";
import * as fixtures from "./fixtures";
import { PlanPanel } from "./PlanPanel";
import { openChoices } from "./pageReading";

const leftOut = (block: number, role: PageRole, text: string, why: string, runs = true): LeftOut => ({
  block,
  role,
  why,
  text,
  start: 0,
  end: 0,
  after: null,
  steps: runs ? [demoStep(`left-${block}`, text, text, "execute", "caution")] : [],
});

const way = (name: string, blocks: number[], unfit: string | null = null) => ({
  name,
  texts: [`install ${name}`],
  blocks,
  unfit,
});

const reading: PageReading = {
  steps: [],
  choices: [
    {
      name: "Installation",
      ways: [way("apt", [0]), way("dnf", [1, 2], "for Fedora")],
      chosen: 0,
      decided: "this is Debian 12",
    },
    { name: "Repository", ways: [way("stable", [1]), way("testing", [2])], chosen: 0, decided: "" },
  ],
  leftOut: [
    leftOut(1, "other-system", "dnf install gizmo", "it is for Fedora"),
    leftOut(2, "other-system", "dnf install gizmo-testing", "it is for Fedora"),
    leftOut(3, "optional", "gizmo --colour", "“optionally”"),
    leftOut(4, "other-language", "import gizmo", "it is Python", false),
  ],
};

/** `sorting`: what having the page sorted would cost, and `done`, when that has been done. */
async function card(sorting: QuestionEstimate | null = null, done?: Promise<void>): Promise<Command[]> {
  const sent: Command[] = [];
  const host = new FakeHost();
  host.sorting = sorting;
  const draft = fixtures.draftSession();
  const session: SessionState = { ...draft, plan: draft.plan && { ...draft.plan, page: reading } };
  await render(
    <HostContext.Provider value={host}>
      <div style={{ height: 800, width: 640 }}>
        <PlanPanel
          session={session}
          onCommand={async (command) => {
            sent.push(command);
            if (command.type === "sort-page") await done;
          }}
          compareWith={null}
          onCompare={() => undefined}
          onGuidance={() => undefined}
        />
      </div>
    </HostContext.Provider>,
  );
  return sent;
}

beforeEach(() => {
  document.documentElement.dataset.theme = "light";
});
afterEach(() => cleanup());

describe("the ways of a page", () => {
  it("are a group of radio buttons, with what decided", async () => {
    const sent = await card();
    const group = page.getByRole("group", { name: "Installation · this is Debian 12" });
    await expect.element(group.getByRole("radio", { name: "apt" })).toBeChecked();
    await group.getByRole("radio", { name: "dnf for Fedora" }).click();
    expect(sent).toEqual([{ type: "choose-way", choice: 0, way: 1 }]);
  });

  it("are not asked for within a way that is not taken", () => {
    expect(openChoices(reading).map(({ place }) => place)).toEqual([0]);
    const choices = reading.choices.map((choice, place) => (place === 0 ? { ...choice, chosen: 1 } : choice));
    expect(openChoices({ ...reading, choices }).map(({ place }) => place)).toEqual([0, 1]);
  });
});

describe("what is left out", () => {
  const line = "4 left out: 2 for other systems · 1 optional · 1 in another language";

  it("is one line with counts, which opens to the list with reasons", async () => {
    const sent = await card();
    await expect.element(page.getByText("it is Python")).not.toBeInTheDocument();
    await page.getByText(line).click();
    await expect.element(page.getByText("it is Python")).toBeVisible();
    await page.getByRole("button", { name: "Take in: gizmo --colour" }).click();
    expect(sent).toEqual([{ type: "take-in", block: 3 }]);
    // What is nothing to run cannot be taken in.
    expect(page.getByRole("button", { name: /^Take in/ }).elements()).toHaveLength(3);
  });

  it("opens and is taken in by key, and has nothing that hinders anybody", async () => {
    const sent = await card();
    (page.getByText(line).element().closest("summary") as HTMLElement).focus();
    await userEvent.keyboard("{Enter}{Tab}");
    await expect
      .element(page.getByRole("button", { name: "Take in: dnf install gizmo", exact: true }))
      .toBeVisible();
    expect(await axeViolations()).toEqual([]);
    const button = page.getByRole("button", { name: "Take in: dnf install gizmo", exact: true });
    (button.element() as HTMLElement).focus();
    await userEvent.keyboard("{Enter}");
    expect(sent).toEqual([{ type: "take-in", block: 1 }]);
  });
});

describe("sorting by a model", () => {
  const estimate = { model: "gem", inputTokens: 900, outputTokens: 120, costMicros: 20_000 };

  it("is offered with its price, says what it is, and can be stopped", async () => {
    let done = () => {};
    const asked = new Promise<void>((resolve) => {
      done = resolve;
    });
    const sent = await card(estimate, asked);
    await page.getByRole("button", { name: "Have gem sort the page (about $0.02)" }).click();
    await expect.element(page.getByText(/It can only sort and name what stands there/)).toBeVisible();
    expect(await axeViolations()).toEqual([]);
    await page.getByRole("button", { name: "Back" }).click();
    expect(sent).toEqual([]);
    await page.getByRole("button", { name: /^Have gem sort the page/ }).click();
    await page.getByRole("button", { name: "Ask gem" }).click();
    await expect.element(page.getByText("gem is sorting the page…")).toBeVisible();
    await page.getByRole("button", { name: "Stop" }).click();
    expect(sent).toEqual([{ type: "sort-page" }, { type: "cancel" }]);
    done();
    await expect.element(page.getByRole("button", { name: /^Have gem sort the page/ })).toBeVisible();
  });

  it("is not offered where there is nobody to ask", async () => {
    await card();
    await expect.element(page.getByText(/4 left out/)).toBeVisible();
    expect(page.getByRole("button", { name: /sort the page/ }).elements()).toEqual([]);
  });
});
