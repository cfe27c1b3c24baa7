import { describe, expect, it } from "vitest";
import { page, userEvent } from "vitest/browser";
import { render } from "vitest-browser-react";
import type { Approval, ApprovalAnswer, SessionState } from "@/ipc/bindings";
import { assessment, REPAIR } from "@/ipc/demo/photoServer";
import { axeViolations } from "@/test/axe";
import { careful, dangerous, guard, layer, NOW, session, wait } from "./fixtures";

const dialog = page.getByRole("alertdialog");
const harmless = page.getByRole("button", { name: "Don't run" });

describe("the dialog", () => {
  it("is named, starts on the harmless answer and gives the focus back", async () => {
    const screen = await render(layer(session()));
    await page.getByRole("button", { name: "before" }).click();
    await screen.rerender(layer(session(dangerous)));
    await expect.element(page.getByRole("alertdialog", { name: "Run a dangerous command?" })).toBeVisible();
    await expect.element(harmless).toHaveFocus();
    expect(getComputedStyle(harmless.element()).outlineStyle).toBe("solid");
    await screen.rerender(layer(session()));
    await expect.element(dialog).not.toBeInTheDocument();
    await expect.element(page.getByRole("button", { name: "before" })).toHaveFocus();
  });

  it.each(["light", "dark", "contrast"])("has nothing for axe to find in %s", async (theme) => {
    document.documentElement.dataset.theme = theme;
    await render(layer(session(dangerous)));
    await expect.element(dialog).toBeVisible();
    expect(await axeViolations()).toEqual([]);
  });

  it("shows command, folder, user, reasons, undo and why", async () => {
    await render(layer(session(dangerous)));
    await expect.element(dialog.getByText("before 4 · Install the Python packages")).toBeVisible();
    await expect.element(dialog.getByText("~/photo-server")).toBeVisible();
    await expect.element(dialog.getByText("as root", { exact: true })).toBeVisible();
    await expect.element(dialog.getByText("Runs as root", { exact: true })).toBeVisible();
    await expect.element(dialog.getByText("Undo: partly")).toBeVisible();
    await expect.element(dialog.getByText("Rule pip-missing-header")).toBeVisible();
    const guilty = [...document.querySelectorAll(".pw-guilty")]
      .map((element) => element.textContent)
      .join("");
    expect(guilty).toBe("sudoinstall -y");
  });

  it("makes invisible characters visible and selects none of them", async () => {
    const command = "echo a\u202eb\u200bc";
    await render(layer(session({ ...dangerous, action: { type: "shell", command } })));
    await expect.element(dialog.getByRole("img", { name: /U\+202E/ })).toBeVisible();
    await expect.element(dialog.getByRole("img", { name: /U\+200B/ })).toBeVisible();
  });

  it("never makes the dangerous answer the widest", async () => {
    await render(layer(session(dangerous)));
    const width = (name: string) =>
      dialog.getByRole("button", { name }).element().getBoundingClientRect().width;
    expect(width("Run once")).toBeLessThan(width("Tell the agent what to do instead"));
  });
});

describe("keys", () => {
  it("swallows everything for 350 ms, each key starting the time again", async () => {
    const answers: ApprovalAnswer[] = [];
    await render(layer(session(dangerous), { answers }));
    // Sent in the page itself, so that a slow driver cannot be slower than the guard.
    const press = (init: KeyboardEventInit) =>
      document.activeElement?.dispatchEvent(
        new KeyboardEvent("keydown", { bubbles: true, cancelable: true, ...init }),
      );
    for (let time = 0; time < 5; time += 1) {
      press({ key: "Enter", ctrlKey: true });
      press({ key: "Escape" });
      await wait(120);
    }
    expect(answers).toEqual([]);
    await guard();
    await userEvent.keyboard("{Control>}{Enter}{/Control}");
    expect(answers).toEqual([{ type: "allow-once", editedCommand: null }]);
  });

  it("counts no click that only brings the window to the front, however late it ends", async () => {
    const answers: ApprovalAnswer[] = [];
    await render(layer(session(dangerous), { answers }));
    await guard();
    const run = dialog.getByRole("button", { name: "Run once" }).element();
    const send = (type: string) =>
      run.dispatchEvent(new MouseEvent(type, { bubbles: true, cancelable: true, button: 0 }));
    window.dispatchEvent(new Event("focus"));
    send("pointerdown");
    await guard();
    for (const type of ["pointerup", "click"]) send(type);
    expect(answers).toEqual([]);
    for (const type of ["pointerdown", "pointerup", "click"]) send(type);
    expect(answers).toEqual([{ type: "allow-once", editedCommand: null }]);
  });

  it("approves nothing by a bare key, not even on the button", async () => {
    const answers: ApprovalAnswer[] = [];
    await render(layer(session(dangerous), { answers }));
    await guard();
    const run = dialog.getByRole("button", { name: "Run once" }).element();
    if (run instanceof HTMLElement) run.focus();
    await userEvent.keyboard("{Enter}");
    await userEvent.keyboard(" ");
    await userEvent.keyboard("y");
    expect(answers).toEqual([]);
    await expect.element(dialog.getByText(/A single key never does/)).toBeVisible();
    await userEvent.keyboard("{Control>}{Enter}{/Control}");
    expect(answers).toHaveLength(1);
  });

  it("takes Escape as not now", async () => {
    const answers: ApprovalAnswer[] = [];
    await render(layer(session(dangerous), { answers }));
    await guard();
    await userEvent.keyboard("{Escape}");
    expect(answers).toEqual([{ type: "not-now" }]);
  });

  it("arrives as a card while the user types elsewhere", async () => {
    const answers: ApprovalAnswer[] = [];
    const screen = await render(layer(session(), { answers }));
    await page.getByRole("textbox", { name: "composer" }).click();
    await userEvent.keyboard("hello");
    await screen.rerender(layer(session(dangerous), { answers }));
    await expect.element(page.getByRole("region", { name: "A command waits for your answer" })).toBeVisible();
    await expect.element(page.getByRole("alert")).toHaveTextContent("A command waits for your answer");
    await userEvent.keyboard(" yes");
    await userEvent.keyboard("{Control>}{Enter}{/Control}");
    await expect.element(page.getByRole("textbox", { name: "composer" })).toHaveValue("hello yes");
    await expect.element(dialog).not.toBeInTheDocument();
    expect(await axeViolations()).toEqual([]);
    await page.getByRole("button", { name: "Review" }).click();
    await expect.element(dialog).toBeVisible();
    expect(answers).toEqual([]);
  });
});

describe("answers", () => {
  it("sends what the user wrote and shows old beside new", async () => {
    const answers: ApprovalAnswer[] = [];
    await render(layer(session(dangerous), { answers }));
    await guard();
    await dialog.getByRole("button", { name: "Edit command" }).click();
    await dialog.getByRole("textbox", { name: "Command" }).fill(`${REPAIR} --dry-run`);
    await dialog.getByRole("button", { name: "Use this" }).click();
    await expect.element(dialog.getByText("edited by you")).toBeVisible();
    await expect
      .element(dialog.getByRole("region", { name: "The command before it was changed" }))
      .toBeVisible();
    await dialog.getByRole("button", { name: "Run my version" }).click();
    expect(answers).toEqual([{ type: "allow-once", editedCommand: `${REPAIR} --dry-run` }]);
  });

  it("sends words instead of a yes", async () => {
    const answers: ApprovalAnswer[] = [];
    await render(layer(session(dangerous), { answers }));
    await guard();
    await dialog.getByRole("button", { name: "Tell the agent what to do instead" }).click();
    await userEvent.keyboard("use the wheel");
    await userEvent.keyboard("{Control>}{Enter}{/Control}");
    expect(answers).toEqual([{ type: "instead", guidance: "use the wheel" }]);
  });

  it("never offers a rule for a dangerous command", async () => {
    const offers = careful.offers;
    await render(layer(session({ ...dangerous, offers })));
    await expect.element(dialog.getByRole("combobox", { name: "Remember" })).toBeDisabled();
    await expect.element(dialog.getByText("Rules are never offered for dangerous commands.")).toBeVisible();
  });

  it("shows a rule literally, with its reach on the button", async () => {
    const answers: ApprovalAnswer[] = [];
    await render(layer(session(careful), { answers }));
    await guard();
    await dialog.getByRole("combobox", { name: "Remember" }).selectOptions("every git fetch command");
    await dialog.getByRole("combobox", { name: "For how long" }).selectOptions("in this folder");
    await expect.element(dialog.getByText("git fetch …", { exact: true })).toBeVisible();
    await dialog.getByRole("button", { name: "Always allow git fetch in this folder" }).click();
    expect(answers).toEqual([
      { type: "allow-always", rule: { type: "program", words: ["git", "fetch"] }, lifetime: "folder" },
    ]);
  });

  it("refuses for good only when asked to", async () => {
    const answers: ApprovalAnswer[] = [];
    await render(layer(session(dangerous), { answers }));
    await guard();
    await dialog.getByRole("button", { name: "Never allow" }).click();
    expect(answers).toEqual([{ type: "never" }]);
  });

  it("counts the queue and guards each question anew", async () => {
    const answers: ApprovalAnswer[] = [];
    const screen = await render(layer(session(dangerous, careful), { answers }));
    await expect.element(dialog.getByText("1 of 2")).toBeVisible();
    await guard();
    await screen.rerender(layer(session(careful), { answers }));
    await expect.element(dialog.getByText("2 of 2")).toBeVisible();
    await expect.element(harmless).toHaveFocus();
    await userEvent.keyboard("{Control>}{Enter}{/Control}");
    expect(answers).toEqual([]);
  });
});

describe("a call of the conversation", () => {
  const edit: Approval = {
    id: "c1",
    stepId: "call-1",
    revision: 0,
    action: {
      type: "tool",
      tool: "edit_file",
      input: '{"path":"src/main.rs","old":"a","new":"b"}',
      command: "edit_file src/main.rs",
    },
    cwd: "/home/ada/app",
    user: "ada",
    assessment: assessment("caution", { effects: { touches: ["/home/ada/app/src/main.rs"] } }),
    warningMessage: "You asked to see each edit before it is written.",
    proposer: { type: "chat", model: "kimi-k2.5", reason: "The port is wrong. <b>I will</b> fix it." },
    previousCommand: null,
    offers: [{ type: "tool", tool: "edit_file" }],
    askedAt: NOW,
    diffs: [
      {
        path: "/home/ada/app/src/main.rs",
        created: false,
        unified: "@@ -1,3 +1,3 @@\n fn main() {\n-    serve(80);\n+    serve(8000);\n }\n",
        added: 1,
        removed: 1,
      },
    ],
  };
  const withoutPlan = (...approvals: Approval[]): SessionState => ({ ...session(...approvals), plan: null });

  it("draws parts of the command as such where its sentence names them", async () => {
    await render(layer(withoutPlan({ ...edit, warningMessage: "`my folder` and `b` are deleted." })));
    await expect.element(dialog.getByText("my folder and b are deleted.", { exact: false })).toBeVisible();
    const named = [...dialog.element().querySelectorAll("p code")].map((part) => part.textContent);
    expect(named).toEqual(["my folder", "b"]);
  });

  it.each(["light", "dark", "contrast"])("has nothing for axe to find in %s", async (theme) => {
    document.documentElement.dataset.theme = theme;
    await render(layer(withoutPlan(edit)));
    await expect.element(dialog).toBeVisible();
    expect(await axeViolations()).toEqual([]);
  });

  it("shows who asks, its words as text, the change of the file, and no editor", async () => {
    await render(layer(withoutPlan(edit)));
    await expect.element(page.getByRole("alertdialog", { name: "Change this file?" })).toBeVisible();
    await expect.element(dialog.getByText("kimi-k2.5 asks.")).toBeVisible();
    await expect.element(dialog.getByText("kimi-k2.5 said")).toBeVisible();
    expect(document.querySelector("blockquote")?.textContent).toBe(
      "“The port is wrong. <b>I will</b> fix it.”",
    );
    await expect.element(dialog.getByRole("region", { name: "Changes of src/main.rs" })).toBeVisible();
    await expect.element(dialog.getByText("serve(8000);")).toBeVisible();
    expect(dialog.getByRole("button", { name: "Edit command" }).elements()).toHaveLength(0);
    await expect.element(harmless).toHaveFocus();
  });

  it("shows the exact arguments, and leaves alone those that would read differently", async () => {
    const input = '{"size":12345678901234567890}';
    const call: Approval = {
      ...edit,
      action: { type: "tool", tool: "fetch", input, command: "fetch" },
      diffs: [],
    };
    await render(layer(withoutPlan(call)));
    await expect.element(page.getByRole("alertdialog", { name: "Let it use fetch?" })).toBeVisible();
    await expect.element(dialog.getByText(input)).toBeVisible();
  });

  it("allows every call of the tool for as long as chosen, never for a run", async () => {
    const answers: ApprovalAnswer[] = [];
    await render(layer(withoutPlan(edit), { answers }));
    await guard();
    await dialog.getByRole("combobox", { name: "Remember" }).selectOptions("every edit_file call");
    const lifetime = dialog.getByRole("combobox", { name: "For how long" });
    await expect.element(lifetime).toHaveValue("session");
    expect(lifetime.element().textContent).not.toContain("run");
    await dialog.getByRole("button", { name: "Always allow edit_file in this session" }).click();
    expect(answers).toEqual([
      { type: "allow-always", rule: { type: "tool", tool: "edit_file" }, lifetime: "session" },
    ]);
  });

  it("says where the words go", async () => {
    const answers: ApprovalAnswer[] = [];
    await render(layer(withoutPlan(edit), { answers }));
    await guard();
    await dialog.getByRole("button", { name: "Tell the agent what to do instead" }).click();
    await expect.element(dialog.getByText(/Your words go to kimi-k2.5/)).toBeVisible();
    await userEvent.keyboard("use port 9000");
    await dialog.getByRole("button", { name: "Send, don't run" }).click();
    expect(answers).toEqual([{ type: "instead", guidance: "use port 9000" }]);
  });

  it("says that a dangerous call is one, and offers no rule", async () => {
    await render(layer(withoutPlan({ ...edit, assessment: assessment("dangerous") })));
    await expect
      .element(page.getByRole("alertdialog", { name: "Let it use edit_file? It is dangerous." }))
      .toBeVisible();
    await expect.element(dialog.getByRole("combobox", { name: "Remember" })).toBeDisabled();
  });
});
