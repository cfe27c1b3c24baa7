/* What the dialog says beyond the question itself: guilty fragments, warnings, environment, forecast, rules before they are made. */
import { describe, expect, it } from "vitest";
import { page, userEvent } from "vitest/browser";
import { render } from "vitest-browser-react";
import type { Approval, ApprovalAnswer, Forecast, GrantPreview } from "@/ipc/bindings";
import { assessment, reason } from "@/ipc/demo/photoServer";
import { FakeHost } from "@/ipc/fakeHost";
import { forecasts } from "@/state/forecasts";
import { axeViolations } from "@/test/axe";
import { careful, dangerous, guard, layer, session } from "./fixtures";

const dialog = page.getByRole("alertdialog");
const CLEAN = "rm -r old && ./index.py";

const cleaning: Approval = {
  ...dangerous,
  id: "clean",
  action: { type: "shell", command: CLEAN },
  assessment: assessment("dangerous", {
    // Not in order, and overlapping.
    reasons: [
      reason("caution", "runs a script", "./index.py", CLEAN),
      { ...reason("dangerous", "may be the only copy", "old", CLEAN), source: "qwen" },
      reason("caution", "does not ask for each file", "-r", CLEAN),
      reason("dangerous", "deletes a folder", "rm -r old", CLEAN),
    ],
  }),
};

/** What stands out in the command. */
const pointed = () => [...document.querySelectorAll(".pw-pointed")].map((mark) => mark.textContent).join("|");

describe("reasons", () => {
  it("come strictest first and mark all of their fragments", async () => {
    await render(layer(session(cleaning)));
    const reasons = dialog.getByRole("list", { name: "Why it is asked" });
    await expect.element(reasons).toBeVisible();
    const said = reasons
      .getByRole("button")
      .elements()
      .map((button) => button.textContent);
    expect(said).toEqual(["Deletes a folder", "Runs a script", "Does not ask for each file"]);
    const marks = [...document.querySelectorAll("mark")];
    expect(marks.map((mark) => mark.textContent).join("|")).toBe("rm| |-r| |old|./index.py");
    // Where two overlap the stricter one is drawn, and both are named.
    const both = marks.find((mark) => mark.textContent === "-r");
    expect(both?.className).toContain("pw-guilty-danger");
    expect(both?.title).toBe("deletes a folder\ndoes not ask for each file");
  });

  it("point at their fragment by keyboard and by mouse", async () => {
    await render(layer(session(cleaning)));
    await guard();
    const script = dialog.getByRole("button", { name: /^Runs a script \(caution\)/ });
    script.element().focus();
    await expect.poll(pointed).toBe("./index.py");
    dialog
      .getByRole("button", { name: /^Deletes a folder \(dangerous\)/ })
      .element()
      .focus();
    await expect.poll(pointed).toBe("rm| |-r| |old");
    dialog.getByRole("button", { name: "Don't run" }).element().focus();
    await expect.poll(pointed).toBe("");
    // A page that is busy may let a single move of the mouse pass.
    const hovered = async () => {
      await userEvent.hover(dialog.getByRole("heading"));
      await userEvent.hover(dialog.getByText("Does not ask for each file"));
      return pointed();
    };
    await expect.poll(hovered).toBe("-r");
  });

  it("leave a model's warning to the model", async () => {
    await render(layer(session(cleaning)));
    const warning = dialog.getByRole("figure");
    await expect.element(warning).toHaveTextContent("qwen warns");
    await expect.element(warning).toHaveTextContent("Its own words, not checked.");
    await expect.element(warning).toHaveTextContent("“may be the only copy”");
    const list = dialog.getByRole("list", { name: "Why it is asked" }).element();
    expect(list.textContent).not.toContain("only copy");
  });
});

describe("the environment", () => {
  it("is one line until it is opened, and keeps secrets", async () => {
    const environment: Approval["environment"] = [
      { name: "PATH", now: { type: "set", value: "/opt/bin:/usr/bin" } },
      { name: "TOKEN", now: { type: "hidden" } },
    ];
    await render(layer(session({ ...cleaning, environment })));
    await guard();
    const line = dialog.getByText("2 variables differ: PATH, TOKEN");
    await expect.element(line).toBeVisible();
    expect(document.querySelector("dl")).toBeNull();
    await line.click();
    await expect.element(dialog.getByText("/opt/bin:/usr/bin")).toBeVisible();
    await expect.element(dialog.getByText("hidden", { exact: true })).toBeVisible();
  });

  it("says nothing where nothing differs", async () => {
    await render(layer(session(cleaning)));
    await guard();
    expect(document.body.textContent).not.toContain("differ");
  });
});

describe("the forecast", () => {
  const made: Forecast = {
    type: "made",
    files: [
      { path: "/home/ada/photo-server/new.log", change: "created", folder: false, inside: 0 },
      { path: "/home/ada/photo-server/old", change: "deleted", folder: true, inside: 11 },
    ],
    more: 3,
    exitStatus: 0,
    milliseconds: 240,
    notes: ["It was stopped after 5 seconds."],
  };

  it("runs quietly, is labelled as what it is, and lists what is lost first", async () => {
    await render(layer(session({ ...cleaning, id: "forecast-1" })));
    await guard();
    expect(document.body.textContent).not.toContain("Trying it out");
    const height = () => dialog.element().getBoundingClientRect().height;
    forecasts.note("forecast-1", { type: "running" });
    await expect.element(dialog.getByText("Trying it out on a copy…")).toBeVisible();
    const before = height();
    forecasts.note("forecast-1", made);
    const summary = dialog.getByText("Forecast: 12 files deleted, 1 created, and 3 more");
    await expect.element(summary).toBeVisible();
    // What comes in late moves no button.
    expect(Math.abs(height() - before)).toBeLessThan(2);
    await summary.click();
    await expect.element(dialog.getByText(/From a trial on copies without network/)).toBeVisible();
    await expect.element(dialog.getByText("It was stopped after 5 seconds.")).toBeVisible();
    const rows = dialog.getByRole("list", { name: "Files in the forecast" }).getByRole("listitem");
    expect(rows.elements().map((row) => row.textContent)).toEqual([
      "deletedold/with 11 files in it",
      "creatednew.log",
      "and 3 more",
    ]);
  });

  it("says why there is none", async () => {
    await render(layer(session({ ...cleaning, id: "forecast-2" })));
    forecasts.note("forecast-2", { type: "unavailable", why: "It runs as root." });
    await expect.element(dialog.getByText("No forecast: It runs as root.")).toBeVisible();
  });

  it("is asked for when it began before this window listened", async () => {
    const host = new FakeHost({ speed: Number.POSITIVE_INFINITY });
    host.forecast = async () => made;
    await render(layer(session({ ...cleaning, id: "forecast-3" }), { host }));
    await expect.element(dialog.getByText(/^Forecast: 12 files deleted/)).toBeVisible();
  });
});

describe("a rule before it is made", () => {
  const choose = () =>
    dialog.getByRole("combobox", { name: "Remember" }).selectOptions("every git fetch command");

  it("shows what it would have covered", async () => {
    const past = ["git fetch origin", "git fetch --all", "make"].map((command) => ({
      command,
      cwd: "/home/ada/app",
      lastAt: new Date().toISOString(),
      times: 2,
    }));
    const host = new FakeHost({ speed: Number.POSITIVE_INFINITY, past });
    await render(layer(session(careful), { host }));
    await guard();
    await choose();
    const line = dialog.getByText("Would have covered 2 of your last 3 commands");
    await expect.element(line).toBeVisible();
    await line.click();
    const rows = dialog.getByRole("list", { name: "Past commands" }).getByRole("listitem");
    expect(rows.elements().map((row) => row.querySelector("code")?.textContent)).toEqual([
      "git fetch origin",
      "git fetch --all",
    ]);
  });

  it("asks for the rule, the session and the lifetime that are chosen, and never holds the answer up", async () => {
    const asked: unknown[] = [];
    const host = new FakeHost();
    host.previewGrant = (...args) => {
      asked.push(args);
      return new Promise<GrantPreview>(() => undefined);
    };
    const answers: ApprovalAnswer[] = [];
    await render(layer(session(careful), { host, answers }));
    await guard();
    await choose();
    await expect.element(dialog.getByText("Looking through your past commands…")).toBeVisible();
    await dialog.getByRole("combobox", { name: "For how long" }).selectOptions("in this folder");
    const rule = { type: "program", words: ["git", "fetch"] };
    await expect
      .poll(() => asked)
      .toEqual([
        [rule, "session", "run"],
        [rule, "session", "folder"],
      ]);
    await userEvent.keyboard("{Control>}{Enter}{/Control}");
    expect(answers).toEqual([{ type: "allow-always", rule, lifetime: "folder" }]);
  });

  it("says when the past cannot be looked through", async () => {
    const host = new FakeHost();
    host.previewGrant = () => Promise.reject({ code: "journal-damaged", message: "The record is damaged." });
    await render(layer(session(careful), { host }));
    await guard();
    await choose();
    await expect
      .element(dialog.getByText(/could not be looked through\. The record is damaged\./))
      .toBeVisible();
    await expect
      .element(dialog.getByRole("button", { name: "Always allow git fetch for this run" }))
      .toBeEnabled();
  });

  it("is suggested after three same answers, and chosen only by the user", async () => {
    const answers: ApprovalAnswer[] = [];
    const suggested = { type: "program", words: ["git", "fetch"] } as const;
    const approval: Approval = { ...careful, suggested: { ...suggested, words: [...suggested.words] } };
    await render(layer(session(approval), { answers }));
    await guard();
    await expect.element(dialog.getByText("You allowed this three times. Make it a rule?")).toBeVisible();
    await expect.element(dialog.getByRole("button", { name: "Run once" })).toBeVisible();
    await dialog.getByRole("button", { name: "Remember every git fetch command" }).click();
    await expect.element(dialog.getByText(/You allowed this three times/)).not.toBeInTheDocument();
    await dialog.getByRole("button", { name: "Always allow git fetch for this run" }).click();
    expect(answers).toEqual([{ type: "allow-always", rule: suggested, lifetime: "run" }]);
  });

  it("is suggested for nothing dangerous", async () => {
    const rule: Approval["suggested"] = { type: "program", words: ["rm"] };
    await render(layer(session({ ...cleaning, offers: [rule], suggested: rule })));
    await guard();
    expect(document.body.textContent).not.toContain("three times");
  });
});

describe.each(["light", "dark", "contrast"])("accessibility, %s", (theme) => {
  it("with everything open", async () => {
    document.documentElement.dataset.theme = theme;
    const approval: Approval = {
      ...cleaning,
      id: `axe-${theme}`,
      environment: [{ name: "PATH", now: { type: "set", value: "/opt/bin" } }],
    };
    forecasts.note(approval.id, {
      type: "made",
      files: [],
      more: 0,
      exitStatus: 1,
      milliseconds: 9,
      notes: [],
    });
    await render(layer(session(approval)));
    await guard();
    await dialog.getByText("1 variable differs: PATH").click();
    await dialog.getByText("Forecast: no file changes").click();
    dialog
      .getByRole("button", { name: /^Deletes a folder/ })
      .element()
      .focus();
    expect(await axeViolations()).toEqual([]);
  });
});
