import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { page, userEvent } from "vitest/browser";
import { cleanup, render } from "vitest-browser-react";
import type { Command, PlanInput, SessionState } from "@/ipc/bindings";
import { withValues } from "@/ipc/demo/draftEdits";
import { demoStep } from "@/ipc/demo/photoServer";
import { applyRecord } from "@/state/fold";
import { axeViolations } from "@/test/axe";
import * as fixtures from "./fixtures";
import { askedInputs, missingInputs } from "./inputs";
import { PlanPanel } from "./PlanPanel";

const input = (name: string, label: string, more: Partial<PlanInput> = {}): PlanInput => ({
  name,
  label,
  token: `<${label}>`,
  kind: "text",
  required: true,
  byHand: false,
  choices: [],
  suggestions: [],
  value: null,
  ...more,
});

const inputs = [
  input("DOMAIN", "Domain"),
  input("TOKEN", "Api token", { kind: "secret" }),
  input("USER_NAME", "User name", { suggestions: ["ada"] }),
  input("WORKERS", "Workers", { kind: "number", required: false }),
  input("SIZE", "Size", {
    kind: "choice",
    choices: ["small", "big"],
    value: { type: "plain", text: "small" },
  }),
  input("BY_HAND", "Pattern", { byHand: true, token: "YOUR_PATTERN" }),
  input("UNUSED", "Unused"),
];

// biome-ignore lint/suspicious/noTemplateCurlyInString: variables of the shell
const command = 'serve --at "${DOMAIN}" --token "${TOKEN}" $USER_NAME ${WORKERS} ${SIZE} ${DOMAINS}';

function session(steps = [command], values = inputs): SessionState {
  const draft = fixtures.draftSession();
  if (!draft.plan) throw new Error("there is a plan");
  const made = steps.map((text, at) => ({
    ...demoStep(`s${at}`, text, text, "execute", "caution"),
    index: at,
  }));
  return { ...draft, plan: { ...draft.plan, steps: made, inputs: values } };
}

const panel = (state: SessionState, sent: Command[]) => (
  <div style={{ height: 800, width: 640 }}>
    <PlanPanel
      session={state}
      onCommand={async (told) => void sent.push(told)}
      compareWith={null}
      onCompare={() => undefined}
      onGuidance={() => undefined}
    />
  </div>
);

/** The card, and the way to show what the engine makes of what was sent. */
async function card(state = session()) {
  const sent: Command[] = [];
  const drawn = await render(panel(state, sent));
  let shown = state;
  const answer = async () => {
    for (const told of sent.splice(0)) {
      const event = told.type === "give-inputs" && shown.plan ? withValues(shown.plan, told.values) : null;
      if (!event) continue;
      const folded = applyRecord(shown, {
        sessionId: shown.id,
        seq: shown.seq + 1,
        at: shown.createdAt,
        event,
      });
      if (folded.type === "applied") shown = folded.state;
    }
    await drawn.rerender(panel(shown, sent));
  };
  return { sent, answer };
}

const run = () => page.getByRole("button", { name: "Run 1 step" });

beforeEach(() => {
  document.documentElement.dataset.theme = "light";
});
afterEach(() => cleanup());

describe("what the plan asks for", () => {
  it("is what its steps have", () => {
    const { plan } = session();
    if (!plan) throw new Error("there is a plan");
    expect(askedInputs(plan).map(({ name }) => name)).toEqual([
      "DOMAIN",
      "TOKEN",
      "USER_NAME",
      "WORKERS",
      "SIZE",
    ]);
    expect(missingInputs(plan).map(({ name }) => name)).toEqual(["DOMAIN", "TOKEN", "USER_NAME"]);
    // biome-ignore lint/suspicious/noTemplateCurlyInString: variables of the shell
    const set = session(["DOMAIN=x\nserve ${DOMAIN}", "sed s/a/YOUR_PATTERN/ f"]).plan;
    if (!set) throw new Error("there is a plan");
    expect(missingInputs(set).map(({ name }) => name)).toEqual(["BY_HAND"]);
  });

  it("is filled in, shown where it will stand, and holds the run back until then", async () => {
    const { sent, answer } = await card();
    await expect.element(run()).toBeDisabled();
    await expect
      .element(run())
      .toHaveAccessibleDescription(/^Needs a value first: Domain, Api token, User name\./);
    const row = page.getByRole("listitem").first();
    await expect.element(row.getByRole("img", { name: "Domain, no value yet" })).toBeVisible();

    await page.getByRole("textbox", { name: "Domain" }).fill("example.org");
    await userEvent.keyboard("{Enter}");
    expect(sent).toEqual([{ type: "give-inputs", values: [{ name: "DOMAIN", value: "example.org" }] }]);
    await page.getByRole("button", { name: "Use ada" }).click();
    await answer();
    await expect.element(row.getByTitle("Domain: $DOMAIN")).toHaveTextContent("example.org");
    await expect.element(run()).toBeDisabled();

    const secret = page.getByLabelText("Api token", { exact: true });
    await secret.fill("hunter2");
    expect(sent, "no part of a secret is sent while it is typed").toEqual([]);
    await userEvent.keyboard("{Tab}");
    expect(sent).toEqual([{ type: "give-inputs", values: [{ name: "TOKEN", value: "hunter2" }] }]);
    await answer();
    await expect.element(secret).toHaveValue("");
    await expect.element(secret).toHaveAttribute("type", "password");
    await expect.element(row.getByRole("img", { name: "Api token, a secret" })).toHaveTextContent("••••••");
    expect(document.body.textContent).not.toContain("hunter2");
    await expect.element(run()).toBeEnabled();
  });

  it("is not sent when it cannot be one", async () => {
    const { sent } = await card();
    const workers = page.getByRole("textbox", { name: "Workers" });
    await workers.fill("many");
    await userEvent.keyboard("{Enter}");
    await expect.element(workers).toHaveAccessibleDescription("It has to be a number.");
    expect(sent).toEqual([]);
    await workers.fill("4");
    await userEvent.keyboard("{Enter}");
    expect(sent).toEqual([{ type: "give-inputs", values: [{ name: "WORKERS", value: "4" }] }]);
  });

  it("may be one of several, and goes by key; nothing hinders anybody", async () => {
    const { sent } = await card();
    const group = page.getByRole("radiogroup", { name: "Size" });
    (group.getByRole("radio", { name: "small" }).element() as HTMLElement).focus();
    await userEvent.keyboard("{ArrowRight}");
    expect(sent).toEqual([{ type: "give-inputs", values: [{ name: "SIZE", value: "big" }] }]);
    expect(await axeViolations()).toEqual([]);
  });

  it("opens the step where only a person can write it in", async () => {
    await card(session(["sed s/a/YOUR_PATTERN/ f"]));
    await expect.element(run()).toBeDisabled();
    await page.getByRole("button", { name: "Edit the step" }).click();
    await expect
      .element(page.getByRole("textbox", { name: "Command" }))
      .toHaveValue("sed s/a/YOUR_PATTERN/ f");
  });

  it("is asked for again in a run that goes on without it", async () => {
    const paused = session();
    const state: SessionState = {
      ...paused,
      plan: paused.plan && { ...paused.plan, state: { type: "paused", reason: { type: "interrupted" } } },
    };
    await card(state);
    await expect.element(page.getByLabelText("Api token", { exact: true })).toBeVisible();
  });
});
