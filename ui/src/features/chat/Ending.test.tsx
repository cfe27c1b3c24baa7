import { afterEach, describe, expect, it } from "vitest";
import { page } from "vitest/browser";
import { cleanup, render } from "vitest-browser-react";
import type { PlanState, SessionState } from "@/ipc/bindings";
import { photoServerPlan } from "@/ipc/demo/photoServer";
import { FakeHost } from "@/ipc/fakeHost";
import { HostContext } from "@/ipc/host";
import { HelpContext } from "@/shared/AboutError";
import { createAppStore, StoreContext } from "@/state/store";
import { Ending } from "./Ending";

afterEach(() => cleanup());

describe("a pause because nothing could be kept", () => {
  it("asks with the skip what becomes of the steps that need it", async () => {
    const host = new FakeHost({ speed: Number.POSITIVE_INFINITY });
    const plan = photoServerPlan("plan");
    const stepId = plan.steps[0]?.id ?? "";
    const steps = plan.steps.map((step, at) => (at === 0 ? step : { ...step, dependsOn: [stepId] }));
    const reason = { type: "not-kept" as const, stepId, why: "There is no room." };
    const session: SessionState = {
      ...(await host.createSession({ title: "Photos" })),
      plan: { ...plan, steps, state: { type: "paused", reason } },
    };
    const store = createAppStore(host);
    store.getState().adopt(session);
    await render(
      <HostContext value={host}>
        <StoreContext value={store}>
          <Ending session={session} log={[]} />
        </StoreContext>
      </HostContext>,
    );
    await page.getByRole("button", { name: "Skip the step" }).click();
    expect(host.submitted).toEqual([]);
    await page.getByRole("button", { name: "Skip only this one" }).click();
    expect(host.submitted.map(({ command }) => command)).toEqual([
      { type: "skip", stepId, withDependents: false },
    ]);
  });
});

describe("where a run ended", () => {
  const ends: [PlanState, string[]][] = [
    [{ type: "failed", code: "step-failed", reason: "“Build” failed" }, ["step-failed"]],
    [{ type: "stuck", stepId: "a", reason: { type: "no-progress" } }, ["no-progress"]],
    [{ type: "paused", reason: { type: "declined", stepId: "a" } }, ["declined"]],
    [{ type: "paused", reason: { type: "user" } }, []],
    [{ type: "failed", code: "", reason: "An older record knows no code" }, []],
  ];

  it("says more about it where more is known", async () => {
    const host = new FakeHost({ speed: Number.POSITIVE_INFINITY });
    const created = await host.createSession({ title: "Photos" });
    for (const [state, expected] of ends) {
      const asked: string[] = [];
      const session: SessionState = { ...created, plan: { ...photoServerPlan("plan"), state } };
      const store = createAppStore(host);
      store.getState().adopt(session);
      await render(
        <HostContext value={host}>
          <StoreContext value={store}>
            <HelpContext value={(code) => asked.push(code)}>
              <Ending session={session} log={[]} />
            </HelpContext>
          </StoreContext>
        </HostContext>,
      );
      for (const button of page.getByRole("button", { name: "What is this?" }).all()) await button.click();
      expect(asked).toEqual(expected);
      await cleanup();
    }
  });
});
