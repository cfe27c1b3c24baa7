/* The card for passwords: what it says, where the focus is, where what is typed goes, and where it does not stay. */
import { describe, expect, it } from "vitest";
import { page, userEvent } from "vitest/browser";
import { render } from "vitest-browser-react";
import type { SecretRequest, SessionState } from "@/ipc/bindings";
import { FakeHost } from "@/ipc/fakeHost";
import { HostContext } from "@/ipc/host";
import { begin } from "@/state/fold";
import { axeViolations } from "@/test/axe";
import { SecretLayer } from "./SecretLayer";

const NOW = "2026-03-02T14:02:00Z";
const dialog = page.getByRole("alertdialog");
const field = page.getByLabelText("Password", { exact: true });
const guard = () => new Promise((done) => setTimeout(done, 420));

const sudo: SecretRequest = {
  id: "r1",
  stepId: "s1",
  command: "sudo apt-get install -y nginx",
  cwd: "/home/ada/site",
  program: "sudo",
  calledAs: "sudo -A apt-get install -y nginx",
  prompt: "[sudo] password for ada:",
  kind: "password",
  attempt: 1,
  attemptsAllowed: 3,
  warning: null,
  expiresAt: new Date(Date.now() + 290_000).toISOString(),
};

function session(id: string, ...secrets: SecretRequest[]): SessionState {
  return {
    ...begin(id, id === "s" ? "Web server" : "Clean up", "/home/ada", NOW),
    seq: 1,
    secrets,
  };
}

function layer(host: FakeHost, state: SessionState | null, waiting: SessionState[] = []) {
  return (
    <HostContext value={host}>
      <button type="button">before</button>
      <input aria-label="composer" />
      <SecretLayer session={state} waiting={waiting} />
    </HostContext>
  );
}

const hostOf = (...sessions: SessionState[]) => new FakeHost({ speed: Number.POSITIVE_INFINITY, sessions });

describe("a password", () => {
  it("is asked for with the command that wants it, and goes to the host alone", async () => {
    const state = session("s", sudo);
    const host = hostOf(state);
    const screen = await render(layer(host, state));
    await expect.element(dialog.getByRole("heading", { name: "sudo asks for a password" })).toBeVisible();
    await expect.element(dialog.getByText("sudo -A apt-get install -y nginx")).toBeVisible();
    await expect.element(dialog.getByText("[sudo] password for ada:")).toBeVisible();
    await expect.element(dialog.getByText("This goes straight to sudo and is not stored.")).toBeVisible();
    await expect.element(field).toHaveFocus();
    expect(field.element().getAttribute("type")).toBe("password");
    expect(field.element().getAttribute("autocomplete")).toBe("off");
    expect(await axeViolations()).toEqual([]);
    await guard();
    await expect.element(dialog.getByRole("button", { name: "Give to sudo" })).toBeDisabled();
    const input = field.element() as HTMLInputElement;
    await userEvent.keyboard("s3cret{Enter}");
    expect(host.secretsGiven).toEqual([{ requestId: "r1", answer: "s3cret" }]);
    expect(input.value).toBe("");
    await screen.rerender(layer(host, session("s")));
    await expect.element(dialog).not.toBeInTheDocument();
    expect(document.documentElement.outerHTML).not.toContain("s3cret");
  });

  it("is emptied when the question goes before it was given", async () => {
    const state = session("s", sudo);
    const screen = await render(layer(hostOf(state), state));
    await guard();
    const input = field.element() as HTMLInputElement;
    await userEvent.keyboard("half");
    expect(input.value).toBe("half");
    await screen.rerender(layer(hostOf(state), session("s")));
    expect(input.value).toBe("");
  });

  it("is shown only while the button is held", async () => {
    const state = session("s", sudo);
    await render(layer(hostOf(state), state));
    await guard();
    await userEvent.keyboard("seen");
    const reveal = dialog.getByRole("button", { name: "Show while held" }).element() as HTMLElement;
    reveal.focus();
    const type = () => dialog.getByLabelText("Password", { exact: true }).element().getAttribute("type");
    reveal.dispatchEvent(new KeyboardEvent("keydown", { key: " ", bubbles: true }));
    await expect.poll(type).toBe("text");
    reveal.dispatchEvent(new KeyboardEvent("keyup", { key: " ", bubbles: true }));
    await expect.poll(type).toBe("password");
    reveal.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true }));
    await expect.poll(type).toBe("text");
    reveal.blur();
    await expect.poll(type).toBe("password");
  });

  it("is declined with Escape, and an empty one is not sent", async () => {
    const state = session("s", sudo);
    const host = hostOf(state);
    await render(layer(host, state));
    await guard();
    await userEvent.keyboard("{Enter}");
    expect(host.secretsGiven).toEqual([]);
    await userEvent.keyboard("{Escape}");
    expect(host.secretsGiven).toEqual([{ requestId: "r1", answer: null }]);
  });

  it("takes no key that was meant for something else", async () => {
    const state = session("s", sudo);
    await render(layer(hostOf(state), state));
    await userEvent.keyboard("ls{Enter}");
    expect((field.element() as HTMLInputElement).value).toBe("");
  });

  it("says which try it is, and why it may be false", async () => {
    const warned = { ...sudo, program: "/tmp/x/sudo", attempt: 2, warning: "It is something else." };
    const state = session("s", warned);
    await render(layer(hostOf(state), state));
    await expect.element(dialog.getByText("Try 2 of 3. The answer before was not accepted.")).toBeVisible();
    await expect.element(dialog.getByRole("alert")).toHaveTextContent("Look twice. It is something else.");
    expect(await axeViolations()).toEqual([]);
  });
});

describe("other questions", () => {
  it("starts a yes or no at the no", async () => {
    const confirm: SecretRequest = { ...sudo, program: "ssh", kind: "confirm", prompt: "Continue (yes/no)?" };
    const state = session("s", confirm);
    const host = hostOf(state);
    await render(layer(host, state));
    await expect.element(dialog.getByRole("button", { name: "No" })).toHaveFocus();
    await guard();
    await dialog.getByRole("button", { name: "Yes" }).click();
    expect(host.secretsGiven).toEqual([{ requestId: "r1", answer: "yes" }]);
  });

  it("shows a user name as it is typed", async () => {
    const state = session("s", { ...sudo, kind: "username", program: "git" });
    await render(layer(hostOf(state), state));
    expect(page.getByLabelText("User name", { exact: true }).element().getAttribute("type")).toBe("text");
    await expect.element(dialog.getByRole("button", { name: "Show while held" })).not.toBeInTheDocument();
  });

  it("are taken one after the other", async () => {
    const second = { ...sudo, id: "r2", prompt: "Enter passphrase:", kind: "passphrase" as const };
    const state = session("s", sudo, second);
    const host = hostOf(state);
    const screen = await render(layer(host, state));
    await expect.element(dialog.getByText("1 more waits")).toBeVisible();
    await guard();
    await userEvent.keyboard("one{Enter}");
    await screen.rerender(layer(host, session("s", second)));
    await expect.element(dialog.getByLabelText("Passphrase", { exact: true })).toHaveFocus();
    expect((dialog.getByLabelText("Passphrase", { exact: true }).element() as HTMLInputElement).value).toBe(
      "",
    );
  });

  it("of another session, or while the user types, wait in the corner", async () => {
    const other = session("other", sudo);
    const host = hostOf(other);
    const screen = await render(layer(host, session("s"), [other]));
    const card = page.getByRole("region", { name: "A running command asks you something" });
    await expect.element(card.getByText("In the session “Clean up”")).toBeVisible();
    await expect.element(dialog).not.toBeInTheDocument();
    await card.getByRole("button", { name: "Answer" }).click();
    await expect.element(field).toHaveFocus();
    await expect.element(dialog.getByText("In the session “Clean up”")).toBeVisible();
    await screen.rerender(layer(host, session("s")));
    await page.getByLabelText("composer").click();
    await userEvent.keyboard("wo");
    await screen.rerender(layer(host, session("s", sudo)));
    await userEvent.keyboard("rd");
    await expect.element(page.getByLabelText("composer")).toHaveValue("word");
    await expect.element(card).toBeVisible();
  });
});
