// How the program starts where it cannot, and where it runs already.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
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

for (const bus of [true, false])
  story(
    `a second start on the same data folder ends at once, ${bus ? "with" : "without"} a session bus`,
    async ({ desk, open }) => {
      if (bus) await desk.startBus();
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
    },
  );

story("the headless program beside a window says what it may and may not do", async ({ desk, open }) => {
  const { window } = await open();
  await window.sees("What should get done?");
  const page = desk.write("page.md", "```sh\ntrue\n```\n");
  const call = (...args) =>
    spawnSync(join(dirname(PROGRAM), "planwright-cli"), args, {
      env: desk.environment(""),
      encoding: "utf8",
      timeout: 10_000,
    });
  const run = call("run", page);
  assert.equal(run.status, 2, run.stderr);
  assert.match(run.stderr, /already running with this data folder/);
  assert.match(run.stderr, /Looking works meanwhile: `planwright-cli sessions`/);
  assert.equal(call("sessions").status, 0);
});
