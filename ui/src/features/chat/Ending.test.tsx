import { afterEach, describe, expect, it } from "vitest";
import { page } from "vitest/browser";
import { cleanup, render } from "vitest-browser-react";
import type { SessionState } from "@/ipc/bindings";
import { photoServerPlan } from "@/ipc/demo/photoServer";
import { FakeHost } from "@/ipc/fakeHost";
import { HostContext } from "@/ipc/host";
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
