import type { ReactNode } from "react";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { page } from "vitest/browser";
import { cleanup, render } from "vitest-browser-react";
import type { PagePatch, PageView, SessionState } from "@/ipc/bindings";
import { demoStep } from "@/ipc/demo/photoServer";
import { FakeHost } from "@/ipc/fakeHost";
import { HostContext } from "@/ipc/host";
import { createAppStore, StoreContext } from "@/state/store";
import { axeViolations } from "@/test/axe";
import { MendDialog, PagePane } from ".";

const view: PageView = {
  parts: [
    {
      kind: { type: "heading", level: 1 },
      lines: [{ start: 0, end: 9, text: "Gizmo" }],
      depth: 0,
      mark: null,
      label: null,
    },
    {
      kind: { type: "code" },
      lines: [
        { start: 10, end: 20, text: "make all" },
        { start: 21, end: 30, text: "make install" },
      ],
      depth: 0,
      mark: null,
      label: null,
    },
    {
      kind: { type: "prose" },
      lines: [{ start: 40, end: 60, text: "On Fedora run dnf install gizmo." }],
      depth: 1,
      mark: "•",
      label: "Note",
    },
  ],
};

const patch: PagePatch = {
  diff: {
    path: "/work/README.md",
    created: false,
    unified: "@@ -1 +1 @@\n-mak\n+make\n",
    added: 1,
    removed: 1,
  },
  changes: 1,
  byHand: ["printf x > conf"],
  isFile: true,
};

const place = (stepId: string, text: string) => ({
  stepId,
  block: 0,
  start: 10,
  end: 30,
  role: "run" as const,
  why: "“Build it”",
  text,
});

const reading = {
  steps: [place("one", "make all"), place("two", "make install")],
  choices: [],
  leftOut: [
    {
      block: 1,
      role: "other-system" as const,
      why: "it is for Fedora",
      text: "dnf install gizmo",
      start: 40,
      end: 60,
      after: null,
      steps: [],
    },
  ],
  findings: [],
  path: null,
};

const steps = [
  { ...demoStep("one", "Build", "make all", "execute", "safe"), index: 0 },
  { ...demoStep("two", "Install", "make install", "execute", "safe"), index: 1 },
];

async function hosted(content: (session: SessionState) => ReactNode, isKept = true) {
  const host = new FakeHost({ speed: Number.POSITIVE_INFINITY });
  const session = await host.createSession({ title: "Gizmo" });
  if (isKept) host.pages.set(session.id, { view, patch });
  const store = createAppStore(host);
  store.getState().adopt(session);
  await render(
    <HostContext value={host}>
      <StoreContext value={store}>
        <div style={{ height: 600, width: 560, display: "flex" }}>{content(session)}</div>
      </StoreContext>
    </HostContext>,
  );
  return host;
}

beforeEach(() => {
  document.documentElement.dataset.theme = "light";
});
afterEach(() => cleanup());

describe("the page beside its plan", () => {
  const pane = (pointed: string | null, onPoint: (id: string) => void) => (session: SessionState) => (
    <PagePane
      sessionId={session.id}
      name="README.md"
      reading={reading}
      steps={steps}
      pointed={pointed}
      onPoint={onPoint}
      onClose={() => undefined}
    />
  );

  it("marks each command by its step, in words, and finds it in the plan", async () => {
    const found: string[] = [];
    await hosted(pane(null, (id) => found.push(id)));
    await page.getByRole("button", { name: "Step 2, run: Install. Show it in the plan." }).click();
    expect(found).toEqual(["two"]);
    expect(document.body.textContent).toContain("Left out, another system: it is for Fedora");
    expect(await axeViolations()).toEqual([]);
  });

  it("shows the block of the step that is pointed at", async () => {
    await hosted(pane("two", () => undefined));
    await expect.element(page.getByText("make install")).toBeVisible();
    const block = document.querySelector('[data-mark="two"]');
    expect(block?.className).toContain("outline-focus");
    expect(document.querySelector('[data-mark="one"]')?.className).not.toContain("outline-focus");
  });

  it("says why when it cannot be shown", async () => {
    await hosted(
      pane(null, () => undefined),
      false,
    );
    await expect.element(page.getByText("This plan is from no page.")).toBeVisible();
  });
});

describe("mending the page", () => {
  it("shows the change and what has no place, and writes it when told to", async () => {
    const host = await hosted((session) => <MendDialog session={session} onClose={() => undefined} />);
    await expect.element(page.getByText("printf x > conf")).toBeVisible();
    expect(host.submitted).toEqual([]);
    expect(await axeViolations()).toEqual([]);
    await page.getByRole("button", { name: "Write it" }).click();
    expect(host.submitted.map(({ command }) => command)).toEqual([{ type: "mend-page" }]);
  });
});
