import { describe, expect, it } from "vitest";
import { page, userEvent } from "vitest/browser";
import { render } from "vitest-browser-react";
import { assessment, photoServerPlan, reason, repairedPlan } from "@/ipc/demo/photoServer";
import { axeViolations } from "@/test/axe";
import { RiskBadge } from "./RiskBadge";
import { inOrder, planRisk, riskName } from "./risk";

const COMMAND = "rm -r old";
const REASONS = [
  reason("caution", "does not ask for each file", "-r", COMMAND),
  reason("dangerous", "deletes a folder and everything in it", COMMAND, COMMAND),
];
const badge = page.getByRole("button", { name: /^Dangerous: / });
const why = page.getByRole("tooltip");

function shown() {
  return (
    <>
      <button type="button">before</button>
      <RiskBadge risk="dangerous" reasons={REASONS} command={COMMAND} />
    </>
  );
}

describe("the badge", () => {
  it("is named by its strictest reason", async () => {
    await render(shown());
    await expect
      .element(badge)
      .toHaveAccessibleName("Dangerous: deletes a folder and everything in it, and 1 more reason");
    await expect.element(badge).toHaveTextContent("dangerous");
  });

  it("opens on focus, closes on Escape and opens again by key", async () => {
    await render(shown());
    page.getByRole("button", { name: "before" }).element().focus();
    await userEvent.keyboard("{Tab}");
    await expect.element(badge).toHaveFocus();
    await expect.element(why).toBeInTheDocument();
    const marks = [...document.querySelectorAll("mark")].map((mark) => mark.textContent);
    expect(marks.join("")).toBe(COMMAND);
    await userEvent.keyboard("{Escape}");
    await expect.element(why).not.toBeInTheDocument();
    await userEvent.keyboard("{Enter}");
    await expect.element(why).toBeInTheDocument();
  });

  it("opens on hover", async () => {
    await render(shown());
    await userEvent.hover(badge);
    await expect.element(why).toBeInTheDocument();
    expect(document.body.textContent).toContain("Does not ask for each file");
  });

  it.each(["light", "dark", "contrast"])("has nothing for axe to find in %s", async (theme) => {
    document.documentElement.dataset.theme = theme;
    await render(
      <main className="bg-panel p-40">
        <RiskBadge risk="safe" />
        <RiskBadge risk="caution" reasons={[REASONS[0] ?? reason("caution", "x", "", "")]} />
        <RiskBadge risk="blocked" reasons={[reason("blocked", "wipes a disk", "dd", "dd of=/dev/sda")]} />
        {shown()}
      </main>,
    );
    badge.element().focus();
    await expect.element(why).toBeInTheDocument();
    expect(await axeViolations()).toEqual([]);
  });
});

describe("words of a risk", () => {
  it("say what safe means where there is no reason", () => {
    expect(riskName("safe", [])).toBe("Safe: only reads");
  });

  it("name the model that warns, after the analysis of the same risk", () => {
    const warning = { ...reason("dangerous", "may be the only copy", "old", COMMAND), source: "qwen" };
    expect(inOrder([warning, ...REASONS]).map((one) => one.text)).toEqual([
      "deletes a folder and everything in it",
      "may be the only copy",
      "does not ask for each file",
    ]);
    expect(riskName("dangerous", [warning])).toBe("Dangerous: qwen warns: may be the only copy");
  });

  it("of a plan name the steps that have it", () => {
    const plan = repairedPlan(photoServerPlan("plan"));
    const { risk, reasons, assessed } = planRisk(plan);
    expect(assessed).toBe(true);
    expect(risk).toBe("dangerous");
    expect(reasons.map((one) => one.text)).toEqual(["Install the headers that Pillow needs: runs as root"]);
    const steps = plan.steps.map((step, at) => (at === 0 ? { ...step, assessment: null } : step));
    expect(planRisk({ ...plan, steps }).assessed).toBe(false);
    expect(planRisk({ ...plan, steps: [] }).risk).toBe(assessment("safe").risk);
  });
});
