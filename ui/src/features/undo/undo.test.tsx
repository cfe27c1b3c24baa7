import { Toaster } from "sonner";
import { afterEach, describe, expect, it } from "vitest";
import { page } from "vitest/browser";
import { cleanup, render } from "vitest-browser-react";
import type { SessionState, UndoFile, UndoPreview, UndoTarget } from "@/ipc/bindings";
import { DEMO_FOLDER, photoServerPlan } from "@/ipc/demo/photoServer";
import { FakeHost } from "@/ipc/fakeHost";
import { HostContext } from "@/ipc/host";
import { begin } from "@/state/fold";
import { axeViolations } from "@/test/axe";
import { UndoDialog } from ".";

const RUN: UndoTarget = { type: "plan", planId: "plan" };

function session(): SessionState {
  return {
    ...begin("session", "Photo server", DEMO_FOLDER, "2026-03-02T14:02:00Z"),
    seq: 3,
    plan: { ...photoServerPlan("plan"), state: { type: "completed" } },
  };
}

const INSIDE = "Something else is in it.";

const file = (name: string, does: UndoFile["does"], conflict: string | null = null): UndoFile => ({
  path: `${DEMO_FOLDER}/${name}`,
  does,
  conflict,
  follows: conflict === INSIDE,
});

const FILES = [
  file("notes.txt", "restore", "It has changed since."),
  file("old/list.txt", "trash", "It has changed since."),
  file("settings.py", "restore"),
  file("db.sqlite3", "recreate"),
  file("photos/new.py", "trash"),
  file("manage.py", "metadata"),
];

function preview(more: Partial<UndoPreview> = {}): UndoPreview {
  const gaps = [{ stepId: "pip", why: "not kept: what it does over the network" }];
  return { target: RUN, files: FILES, more: 0, gaps, token: "one", ...more };
}

async function show(script: FakeHost["undo"]["script"], target = RUN) {
  const host = new FakeHost();
  host.put(session());
  host.undo.script = script;
  let closed = 0;
  await render(
    <HostContext.Provider value={host}>
      <UndoDialog
        session={session()}
        target={target}
        onClose={() => {
          closed += 1;
        }}
      />
      <Toaster />
    </HostContext.Provider>,
  );
  return { host, closed: () => closed, undos: () => host.submitted.map(({ command }) => command) };
}

const dialog = () => page.getByRole("dialog");
const group = (name: string) => page.getByRole("region", { name });

afterEach(() => cleanup());

describe("the preview", () => {
  it("shows every file under what becomes of it, and what cannot be taken back", async () => {
    const { undos } = await show(() => preview());
    await expect.element(dialog().getByRole("heading", { name: "Undo this run" })).toBeVisible();
    await expect.element(group("Put back as it was")).toHaveTextContent(/1 file.*settings\.py/);
    await expect.element(group("Brought back")).toHaveTextContent("db.sqlite3");
    await expect.element(group("Moved to the trash folder")).toHaveTextContent("photos/new.py");
    await expect.element(group("Only its mode, owner or time")).toHaveTextContent("manage.py");
    await expect
      .element(group("What cannot be taken back"))
      .toHaveTextContent("4 · Install the Python packages: not kept: what it does over the network");
    expect(undos()).toEqual([]);
  });

  for (const theme of ["light", "dark", "contrast"]) {
    it(`has nothing for axe to find in ${theme}`, async () => {
      document.documentElement.dataset.theme = theme;
      await show(() => preview());
      await expect.element(group("Brought back")).toBeVisible();
      expect(await axeViolations()).toEqual([]);
    });
  }

  it("shows the first of many, and the others when they are wanted", async () => {
    const many = Array.from({ length: 40 }, (_, at) => file(`made/${at}.txt`, "trash"));
    await show(() => preview({ files: many, more: 900 }));
    await expect.element(group("Moved to the trash folder")).toHaveTextContent("40 files");
    expect(dialog().getByRole("listitem").elements()).toHaveLength(6 + 1);
    await expect.element(page.getByText("and 900 more files, not listed")).toBeVisible();
    await expect.element(page.getByRole("button", { name: "Undo 940 changes" })).toBeVisible();
    await page.getByRole("button", { name: "Show 34 more" }).click();
    expect(dialog().getByRole("listitem").elements()).toHaveLength(40 + 1);
  });

  it("says so when there is nothing to undo", async () => {
    const { closed } = await show(() => preview({ files: [], gaps: [] }));
    await expect.element(page.getByText("There is nothing to undo")).toBeVisible();
    await page.getByRole("button", { name: "Close" }).last().click();
    expect(closed()).toBe(1);
  });

  it("that fails says why and is asked for again", async () => {
    let asked = 0;
    await show(async () => {
      asked += 1;
      if (asked === 1) throw { code: "internal", message: "The kept files could not be read." };
      return preview();
    });
    await expect.element(page.getByRole("alert")).toHaveTextContent("The kept files could not be read.");
    await page.getByRole("button", { name: "Look again" }).click();
    await expect.element(group("Brought back")).toBeVisible();
  });
});

describe("what was changed since", () => {
  it("is left alone unless it is chosen", async () => {
    const { undos, closed } = await show(() => preview());
    await page.getByRole("button", { name: "Undo 4 changes" }).click();
    await expect.poll(closed).toBe(1);
    expect(undos()).toEqual([{ type: "undo", target: RUN, token: "one", overwrite: [] }]);
  });

  it("is put back one by one, or all", async () => {
    const { undos, host } = await show(() => preview());
    const notes = page.getByRole("radiogroup", { name: "What becomes of notes.txt" });
    await expect.element(notes.getByRole("radio", { name: "Leave mine" })).toBeChecked();
    await notes.getByRole("radio", { name: "Put the old one back" }).click();
    await expect.element(page.getByRole("button", { name: "Undo 5 changes" })).toBeVisible();
    await page.getByRole("button", { name: "Undo all" }).click();
    await expect.element(page.getByRole("button", { name: "Undo 6 changes" })).toBeVisible();
    await page.getByRole("button", { name: "Leave all" }).click();
    await notes.getByRole("radio", { name: "Put the old one back" }).click();
    await page.getByRole("button", { name: "Undo 5 changes" }).click();
    await expect.poll(() => host.session("session").undone?.length).toBe(1);
    const overwrite = [`${DEMO_FOLDER}/notes.txt`];
    expect(undos()).toEqual([{ type: "undo", target: RUN, token: "one", overwrite }]);
    const done = host.session("session").undone?.[0];
    expect([done?.restored, done?.recreated, done?.trashed, done?.skipped.length]).toEqual([3, 1, 1, 1]);
  });

  it("alone leaves nothing to do until something is chosen", async () => {
    await show(() => preview({ files: FILES.slice(0, 2) }));
    await expect.element(page.getByRole("button", { name: "Nothing chosen" })).toBeDisabled();
  });
});

describe("a folder that something else is in", () => {
  const files = [
    file("made/a.txt", "trash", "It has changed since."),
    file("made", "trash", INSIDE),
    file("b.txt", "trash"),
  ];

  it("stays without being asked about, and goes along when what is in it was chosen", async () => {
    const { undos, closed } = await show(() => preview({ files }));
    await expect.element(group("Stays where it is")).toHaveTextContent(`made${INSIDE}`);
    await expect.element(page.getByText("1 file is no longer as it was left")).toBeVisible();
    await page.getByRole("radio", { name: "Move to the trash" }).click();
    await page.getByRole("button", { name: "Undo 2 changes" }).click();
    await expect.poll(closed).toBe(1);
    const overwrite = [`${DEMO_FOLDER}/made/a.txt`, `${DEMO_FOLDER}/made`];
    expect(undos()).toEqual([{ type: "undo", target: RUN, token: "one", overwrite }]);
  });
});

describe("doing it", () => {
  it("shows that it is under way", async () => {
    const { host, closed } = await show(() => preview());
    let done: () => void = () => undefined;
    host.undo.wait = new Promise((go) => {
      done = go;
    });
    await page.getByRole("button", { name: "Undo 4 changes" }).click();
    await expect.element(page.getByRole("button", { name: "Putting files back…" })).toBeDisabled();
    expect(closed()).toBe(0);
    done();
    await expect.poll(closed).toBe(1);
  });

  it("over files that changed meanwhile shows them as they are, and does nothing yet", async () => {
    let token = "one";
    const { host, closed } = await show(() =>
      preview({ token, files: token === "one" ? FILES : FILES.slice(0, 3) }),
    );
    await expect.element(page.getByRole("button", { name: "Undo 4 changes" })).toBeVisible();
    token = "two";
    await page.getByRole("button", { name: "Undo 4 changes" }).click();
    await expect
      .element(page.getByText("The files have changed since. This is how things stand now."))
      .toBeVisible();
    expect(host.session("session").undone ?? []).toEqual([]);
    await page.getByRole("button", { name: "Undo 1 change" }).click();
    await expect.poll(closed).toBe(1);
    expect(host.submitted.map(({ command }) => command.type === "undo" && command.token)).toEqual([
      "one",
      "two",
    ]);
  });

  it("is looked at again when the window gets the focus back", async () => {
    let token = "one";
    await show(() => preview({ token, files: token === "one" ? FILES : FILES.slice(0, 4) }));
    await expect.element(page.getByRole("button", { name: "Undo 4 changes" })).toBeVisible();
    token = "two";
    window.dispatchEvent(new Event("focus"));
    await expect.element(page.getByRole("button", { name: "Undo 2 changes" })).toBeVisible();
    await expect.element(page.getByText("The files have changed since.", { exact: false })).toBeVisible();
  });

  it("that is refused for another reason says it", async () => {
    const { host } = await show(() => preview());
    await expect.element(page.getByRole("button", { name: "Undo 4 changes" })).toBeVisible();
    host.undo.wait = Promise.reject({
      code: "not-now",
      message: "The plan is running. Pause or stop it first.",
    });
    host.undo.wait.catch(() => undefined);
    await page.getByRole("button", { name: "Undo 4 changes" }).click();
    await expect.element(page.getByRole("alert")).toHaveTextContent("The plan is running.");
    await expect.element(page.getByRole("button", { name: "Undo 4 changes" })).toBeEnabled();
  });
});
