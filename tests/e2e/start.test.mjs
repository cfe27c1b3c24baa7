// How the program starts where it cannot, and where it runs already.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import test from "node:test";
import { PROGRAM } from "./support/app.mjs";
import { Desk, display, programOf } from "./support/desk.mjs";
import { story } from "./support/story.mjs";

for (const [name, screen] of [
  ["without a display", ""],
  ["with a display that does not answer", ":9999"],
]) {
  test(`${name} the program says so and ends`, () => {
    const desk = new Desk();
    const { status, stderr } = spawnSync(PROGRAM, { env: desk.environment(screen), encoding: "utf8" });
    desk.clear();
    assert.equal(status, 2, stderr);
    assert.match(stderr, /display/);
    assert.match(stderr, /planwright-cli/);
    assert.doesNotMatch(stderr, /panicked/);
  });
}

story("a second start on the same data folder ends at once and leaves one window", async ({ desk, open }) => {
  await desk.startBus();
  const { window, app } = await open();
  await window.sees("What should get done?");
  const first = app.pid();
  const env = desk.environment(await display());
  const { status, stderr } = spawnSync(PROGRAM, { env, encoding: "utf8", timeout: 10_000 });
  assert.equal(status, 0, stderr);
  assert.deepEqual(
    desk.processes().filter((pid) => programOf(pid) === PROGRAM),
    [first],
  );
  await window.sees("What should get done?");
});

story(
  "without a bus a second start on the same data folder says that it is in use",
  async ({ desk, open }) => {
    const first = await open();
    await first.window.sees("What should get done?");
    const second = await open();
    await second.window.sees("Planwright is already running with this data folder.");
    await first.app.close();
  },
);
