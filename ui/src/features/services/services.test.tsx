import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { page, userEvent } from "vitest/browser";
import { cleanup, render } from "vitest-browser-react";
import type { Command, Job, Plan, Service, ServiceState, SessionState, Step } from "@/ipc/bindings";
import { FakeHost } from "@/ipc/fakeHost";
import { HostContext } from "@/ipc/host";
import { applyRecord, begin } from "@/state/fold";
import { axeViolations } from "@/test/axe";
import { ServicesStrip } from "./ServicesStrip";
import { worthALine } from "./view";

const ago = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString();

function service(title: string, state: ServiceState, more: Partial<Service> = {}): Service {
  return {
    id: `service-${title}`,
    stepId: `step-${title}`,
    attempt: 0,
    title,
    command: `npm run ${title}`,
    cwd: "/home/ada/photos",
    ready: { type: "port", port: 3000 },
    startedAt: ago(125),
    state,
    ...more,
  };
}

const ready: ServiceState = { type: "ready", since: ago(120) };
const ended = (end: Extract<ServiceState, { type: "ended" }>["end"]): ServiceState => ({
  type: "ended",
  at: ago(5),
  end,
});

function session(services: Service[]): SessionState {
  return {
    ...begin("session", "Photos", "/home/ada/photos", ago(200)),
    seq: 3,
    services,
  };
}

/** A plan whose steps started these services, and are done. */
function planOf(services: Service[], state: Plan["state"] = { type: "completed" }): Plan {
  const steps = services.map(
    (one) =>
      ({
        id: one.stepId,
        title: one.title,
        action: { type: "shell", command: one.command },
        state: { type: "completed", attempt: 0 },
        service: { ready: one.ready, withinSeconds: 60 },
      }) as Partial<Step> as Step,
  );
  return { id: "plan", state, steps } as Partial<Plan> as Plan;
}

async function show(
  services: Service[],
  read: () => Promise<string> = async () => "",
  plan: Plan | null = null,
) {
  const sent: Command[] = [];
  const host = new FakeHost();
  host.readOutput = read;
  await render(
    <HostContext value={host}>
      <main className="w-[640px]">
        <h1>Plan</h1>
        <ServicesStrip
          session={{ ...session(services), plan }}
          onCommand={async (command) => void sent.push(command)}
        />
      </main>
    </HostContext>,
  );
  return { sent };
}

const strip = page.getByRole("region", { name: "Services" });

beforeEach(() => {
  document.documentElement.dataset.theme = "light";
});
afterEach(() => cleanup());

describe("the strip", () => {
  it("is not there without services", async () => {
    await show([service("web", ended({ type: "stopped" }))]);
    await expect.element(strip).not.toBeInTheDocument();
  });

  it("says what runs, where, and for how long", async () => {
    const log = service(
      "log",
      { type: "starting" },
      { ready: { type: "line", text: "up" }, startedAt: ago(3) },
    );
    await show([service("web", ready), log]);
    await expect.element(strip.getByText(/^port 3000 · ready · 2 min \d+ s$/)).toBeVisible();
    await expect.element(strip.getByText(/^starting · \d+ s$/)).toBeVisible();
  });

  it("says which are gone, and offers no stop for them", async () => {
    const exit = { type: "itself", exitStatus: { type: "code", code: 3 } } as const;
    await show([
      service("web", ended(exit)),
      service("api", ended({ type: "lost" })),
      service("old", ended({ type: "session-ended" })),
    ]);
    await expect.element(strip.getByText("port 3000 · ended by itself (exit 3)")).toBeVisible();
    await expect.element(strip.getByText("port 3000 · ended when Planwright did")).toBeVisible();
    await expect.element(strip.getByText("port 3000 · ended with the session")).toBeVisible();
    await expect.element(strip.getByRole("button", { name: /^Stop/ })).not.toBeInTheDocument();
  });

  it("stops the one that is meant, once", async () => {
    const { sent } = await show([service("web", ready), service("api", ready)]);
    const stop = strip.getByRole("button", { name: "Stop api" });
    await stop.click();
    await expect.element(stop).toBeDisabled();
    expect(sent).toEqual([{ type: "stop-service", serviceId: "service-api" }]);
    await expect.element(strip.getByText(/stopping/)).toBeVisible();
    await expect.element(strip.getByRole("button", { name: "Stop web" })).toBeEnabled();
  });

  it("starts one again that is gone, with the keyboard too", async () => {
    const services = [service("web", ended({ type: "lost" })), service("api", ready)];
    const { sent } = await show(services, undefined, planOf(services));
    await expect.element(strip.getByRole("button", { name: /^Start again api/ })).not.toBeInTheDocument();
    const again = strip.getByRole("button", { name: "Start again web" });
    (again.element() as HTMLElement).focus();
    await userEvent.keyboard("{Enter}");
    expect(sent).toEqual([{ type: "start-service", serviceId: "service-web" }]);
    expect(await axeViolations()).toEqual([]);
  });

  it("offers that only for a step that is there as it was, and while nothing runs", async () => {
    const services = [service("web", ended({ type: "lost" }))];
    const changed = planOf([service("web", ready, { command: "npm run other" })]);
    for (const plan of [null, changed, planOf(services, { type: "running" }), planOf([])]) {
      await show(services, undefined, plan);
      await expect.element(strip.getByText("web", { exact: true })).toBeVisible();
      await expect.element(strip.getByRole("button", { name: /^Start/ })).not.toBeInTheDocument();
      await cleanup();
    }
  });

  it("shows the output as it goes on, and says when it cannot be read", async () => {
    let text = "listening\n";
    let fails = false;
    await show([service("web", ready)], async () => {
      if (fails) throw { code: "file-unreadable", message: "The disk is gone." };
      return text;
    });
    await strip.getByRole("button", { name: "Show output of web" }).click();
    const dialog = page.getByRole("dialog", { name: "Output of web" });
    await expect.element(dialog.getByText("listening")).toBeVisible();
    text += "GET /\n";
    await expect.element(dialog.getByText("GET /"), { timeout: 3000 }).toBeVisible();
    fails = true;
    await expect.element(dialog.getByRole("alert"), { timeout: 3000 }).toHaveTextContent(/The disk is gone/);
    await expect.element(dialog.getByRole("button", { name: "What is this?" })).toBeVisible();
    await userEvent.keyboard("{Escape}");
    await expect.element(dialog).not.toBeInTheDocument();
  });

  for (const theme of ["light", "dark"]) {
    it(`has no fault that axe finds, ${theme}`, async () => {
      document.documentElement.dataset.theme = theme;
      await show([
        service("web", ready),
        service("api", { type: "starting" }),
        service("db", ended({ type: "lost" })),
      ]);
      await expect.element(strip).toBeVisible();
      expect(await axeViolations()).toEqual([]);
    });
  }
});

describe("what is worth a line", () => {
  it("leaves out what was ended on purpose, and what runs again", () => {
    const names = (services: Service[]) => worthALine(services).map((one) => one.title);
    const gone = service("web", ended({ type: "lost" }));
    expect(names([gone, service("api", ended({ type: "stopped" }))])).toEqual(["web"]);
    expect(names([gone, service("again", ready, { stepId: gone.stepId })])).toEqual(["again"]);
  });
});

describe("what a command has left running", () => {
  const job: Job = {
    pid: 4711,
    command: "python3 -m http.server\n",
    stepId: "step-1",
    attempt: 0,
    since: ago(65),
    kept: false,
  };

  it("is listed with its process, and ended by a button", async () => {
    const commands: Command[] = [];
    await render(
      <HostContext value={new FakeHost()}>
        <ServicesStrip
          session={{ ...session([]), jobs: [job] }}
          onCommand={async (command) => void commands.push(command)}
        />
      </HostContext>,
    );
    await expect.element(page.getByText("python3 -m http.server", { exact: true })).toBeVisible();
    await expect.element(page.getByText("left running · process 4711 · ")).toBeVisible();
    await userEvent.click(page.getByRole("button", { name: "End python3 -m http.server" }));
    expect(commands).toEqual([{ type: "end-job", pid: 4711 }]);
  });

  it("is asked about when the run is over, until somebody said that it stays", async () => {
    const commands: Command[] = [];
    const over = { ...session([]), plan: planOf([]) };
    const strip = (jobs: Job[]) => (
      <HostContext value={new FakeHost()}>
        <ServicesStrip
          session={{ ...over, jobs }}
          onCommand={async (command) => void commands.push(command)}
        />
      </HostContext>
    );
    const { rerender } = await render(strip([job]));
    await userEvent.click(page.getByRole("button", { name: "Keep until the window closes" }));
    await userEvent.click(page.getByRole("button", { name: "End it" }));
    expect(commands).toEqual([{ type: "keep-jobs" }, { type: "end-job", pid: 4711 }]);
    await rerender(strip([{ ...job, kept: true }]));
    await expect.element(page.getByText("The run is over")).not.toBeInTheDocument();
  });

  it("is what the engine says last", () => {
    const state = { ...session([]), jobs: [job] };
    const record = {
      sessionId: "session",
      seq: 4,
      at: ago(1),
      event: { type: "jobs-changed", jobs: [] },
    } as const;
    const folded = applyRecord(state, { ...record, event: { type: "jobs-changed", jobs: [] } });
    expect(folded.type === "applied" && folded.state.jobs).toEqual([]);
  });
});

describe("the fold", () => {
  it("makes the step of a service that is wanted again one to be done", () => {
    const gone = service("web", ended({ type: "lost" }));
    const state = { ...session([gone, service("api", ready)]), plan: planOf([gone, service("api", ready)]) };
    const wanted = (id: string, stepId: string) =>
      applyRecord(state, {
        sessionId: "session",
        seq: 4,
        at: ago(1),
        event: { type: "service-wanted", serviceId: id, stepId },
      });
    const folded = wanted(gone.id, gone.stepId);
    if (folded.type !== "applied") throw new Error(folded.type);
    expect(folded.state.plan?.state).toEqual({ type: "paused", reason: { type: "user" } });
    expect(folded.state.plan?.steps.map((step) => step.state.type)).toEqual(["pending", "completed"]);
    expect(wanted("service-api", "step-api").type).toBe("resync");
    expect(wanted(gone.id, "step-api").type).toBe("resync");
  });

  it("follows a service to its end, which stays", () => {
    const web = service("web", { type: "starting" });
    const events = [
      { type: "service-started", service: web },
      { type: "service-ready", serviceId: web.id },
      { type: "service-ended", serviceId: web.id, end: { type: "stopped" } },
      { type: "service-ready", serviceId: web.id },
    ] as const;
    let state = session([]);
    const states = events.map((event, place) => {
      const record = { sessionId: "session", seq: 4 + place, at: ago(10 - place), event };
      const folded = applyRecord(state, record);
      if (folded.type !== "applied") throw new Error(folded.type);
      state = folded.state;
      return state.services?.[0]?.state.type;
    });
    expect(states).toEqual(["starting", "ready", "ended", "ended"]);
  });
});
