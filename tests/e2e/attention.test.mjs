// What waits is told outside the window, in the tray and in the title, and told no longer once it is answered or seen.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { display } from "./support/desk.mjs";
import { Desktop } from "./support/desktop.mjs";
import { story } from "./support/story.mjs";
import { Tray } from "./support/tray.mjs";
import { until } from "./support/until.mjs";

const PAGE = `# Clean up

\`\`\`sh
mkdir doomed
\`\`\`

\`\`\`sh
rm -rf doomed
\`\`\`
`;

/** The titles of all windows on the screen. */
async function titles() {
  const env = { ...process.env, DISPLAY: await display() };
  return spawnSync("xwininfo", ["-root", "-tree"], { env, encoding: "utf8" }).stdout;
}

story(
  "a dangerous step that waits is told in the tray and in the title until it is answered",
  async ({ desk, open }) => {
    await desk.startBus();
    const { app, window } = await open();
    const tray = new Tray(desk, app.pid());
    await until("the tray to be there", () => tray.title() === "Planwright: Nothing runs");
    assert.equal(tray.status(), "Active");

    await window.drop(desk.write("work/CLEAN.md", PAGE));
    await window.press("Run 2 steps");
    await window.question();
    await until("the tray to say so", () => tray.title() === "Planwright: Needs you");
    assert.equal(tray.status(), "NeedsAttention");
    await until("the title to say so", async () => (await titles()).includes('"(1) Planwright: needs you"'));
    const labels = tray.entries().map(({ label }) => label);
    assert.deepEqual(labels, [
      "Clean up: asks for permission",
      "Open Planwright",
      "Pause all",
      "Stop all",
      "Quit",
    ]);

    await window.press("Run once");
    await until("the step to have run", () => !desk.has("work/doomed"));
    // Seen at once where the window has the focus, and else told until the session is shown again.
    const ended = ["Planwright: Done", "Planwright: Nothing runs"];
    await until("the end of the plan", () => ended.includes(tray.title()));
    assert.equal(tray.status(), "Active");
    await window.press("Settings");
    await window.look("settings-attention");
    await window.press("New session");
    await window.sees("What should get done?");
    // From elsewhere the entry leads back to the session.
    const over = tray.entries().find(({ label }) => label.startsWith("Clean up"));
    if (over) {
      assert.equal(over.label, "Clean up: done");
      tray.choose(over.label);
      await window.until("the session", async () => (await window.steps()).length === 2);
    }
    await until("the end to be seen", () => tray.title() === "Planwright: Nothing runs");
    await until("the title to be plain again", async () => !(await titles()).includes("(1) Planwright"));

    await window.press("Settings");
    await (await window.get("switch", "Icon in the tray")).click();
    await until("the icon to be gone", () => tray.name() === undefined);
  },
);

story(
  "a click on a notification shows the session that waits, and the dock counts it",
  async ({ desk, open }) => {
    await desk.startBus();
    const desktop = await Desktop.start(desk);
    const { window } = await open();
    desktop.lookAway();
    await window.drop(desk.write("work/CLEAN.md", PAGE));
    await window.press("Run 2 steps");
    await window.question();
    await until("the notification", () => desktop.shown() === 1);
    await until("the number in the dock", () => desktop.number() === 1);
    await window.press("Don't run");
    await window.press("New session");
    await window.sees("What should get done?");

    desktop.click();
    await window.until("the session", async () => (await window.steps()).length === 2);
    await until("the notification to be gone", () => desktop.shown() === 0);
    // The command stays in the window: others can read a notification.
    assert.deepEqual(desktop.said(), [
      "Planwright waits for your answer: A command waits for your permission.",
    ]);
  },
);

story("the tray pauses what runs, stops it, and ends the program", async ({ desk, open }) => {
  await desk.startBus();
  const { app, window } = await open();
  const tray = new Tray(desk, app.pid());
  await window.drop(desk.write("work/WAIT.md", "# Wait\n\n```sh\nsleep 5\n```\n\n```sh\nsleep 300\n```\n"));
  await window.press("Run 2 steps");
  await until("the tray to say so", () => tray.title() === "Planwright: Working");
  tray.choose("Pause all");
  await window.sees("Paused.");
  assert.equal(tray.title(), "Planwright: Nothing runs");
  await window.press("Resume");
  await until("the tray to say so again", () => tray.title() === "Planwright: Working");
  tray.choose("Stop all");
  await until("the step to have ended", () => tray.title() !== "Planwright: Working");
  await window.sees("No further step will run.");

  await window.press("Settings");
  tray.choose("Quit");
  await until("the program's end", () => !app.runs());
});
