// A service in the real window: it is waited for, runs on under the plan, shows its output, is stopped, and is said to
// be gone after a sudden end.
import assert from "node:assert/strict";
import { story } from "./support/story.mjs";
import { until } from "./support/until.mjs";

const PLAN = {
  title: "A page to look at",
  steps: [
    {
      title: "Serve the page",
      command:
        "echo $$ > pid; echo warming up; sleep 0.5; echo listening on 8080; while :; do sleep 1; echo still here; done",
      service: { line: "listening on", seconds: 20 },
    },
    { title: "Look at it", command: "kill -0 $(cat pid) && echo there > seen.txt" },
  ],
};

const running = (desk) => {
  const pid = desk.read("work/pid").trim();
  return desk.processes().includes(Number(pid)) || processExists(pid);
};

function processExists(pid) {
  try {
    process.kill(Number(pid), 0);
    return true;
  } catch {
    return false;
  }
}

async function start(desk, open) {
  const { app, window } = await open();
  await window.drop(desk.write("work/page.json", JSON.stringify(PLAN)));
  await window.press("Run 2 steps");
  await window.sees("2 of 2");
  assert.equal(desk.read("work/seen.txt"), "there\n");
  assert.ok(running(desk), "it runs on");
  return { app, window };
}

story("a service runs on until it is stopped", async ({ desk, open }) => {
  const { window } = await start(desk, open);
  await window.sees("ready · ");
  await window.look("services-running");
  // The end of the plan moves what stands below it; a press that is under way meanwhile goes beside the button.
  await window.sees("2 steps ran in");
  await window.press("Show output of Serve the page");
  await window.until("the output", async () => (await window.dialog())?.includes("listening on 8080"));
  await window.until("more of it", async () => (await window.dialog())?.includes("still here"));
  await window.look("services-output");
  await window.press("Close");
  await window.press("Stop Serve the page");
  await window.until("the service to be gone", async () => !running(desk));
  await window.until("its line to be gone", async () => !(await window.text()).includes("ready · "));
  await window.look("services-stopped");
});

story("after kill -9 the window says that the service is gone", async ({ desk, open }) => {
  const { app } = await start(desk, open);
  await app.kill();
  await until("every process to be gone", () => desk.processes().length === 0, 5_000);
  assert.ok(!running(desk));
  const { window } = await open();
  await window.press("A page to look at");
  await window.sees("ended when Planwright did");
  await window.get("button", "Show output of Serve the page");
  assert.equal(await window.find("button", "Stop Serve the page"), null, "there is nothing left to stop");
  await window.look("services-gone");
});

const JOB = {
  title: "Keep it running",
  steps: [
    { title: "Start it", command: "nohup sh -c 'echo $$ > pid; exec sleep 600' > /dev/null 2>&1 &" },
    { title: "See that it is there", command: "sleep 0.5; kill -0 $(cat pid) && echo there > seen.txt" },
  ],
};

story("what a step leaves running is listed and ended by a word", async ({ desk, open }) => {
  const { window } = await open();
  await window.drop(desk.write("work/page.json", JSON.stringify(JOB)));
  await window.press("Run 2 steps");
  await window.sees("left running · process");
  await until("the second step to have seen it", () => desk.has("work/seen.txt"));
  assert.equal(desk.read("work/seen.txt"), "there\n");
  await window.look("jobs-running");
  assert.ok(running(desk), "it outlives the run");
  await window.press("End sleep 600");
  await window.until("it to be gone", async () => !running(desk));
  await window.until("its line to be gone", async () => !(await window.text()).includes("left running"));
});
