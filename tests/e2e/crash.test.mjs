// A power cut in the middle of a step: nothing is lost, nothing runs twice, nothing is left running.
import assert from "node:assert/strict";
import { story } from "./support/story.mjs";
import { until } from "./support/until.mjs";

const PAGE = `# Long work

## Count

\`\`\`sh
echo once >> counter.txt
\`\`\`

## Work long

\`\`\`sh
echo started >> long.txt && { test -e go || sleep 300; }
\`\`\`

## Finish

\`\`\`sh
echo finished >> end.txt
\`\`\`
`;

story("after kill -9 the step is interrupted and nothing runs twice", async ({ desk, open }) => {
  const first = await open();
  await first.window.drop(desk.write("work/long.md", PAGE));
  await first.window.chooseMode("Agentic");
  await first.window.press("Run 3 steps");
  await first.window.stepIs("Work long", "running");
  await first.window.until("the step to have begun", async () => desk.has("work/long.txt"));
  await first.app.kill();
  await until("every process to be gone", () => desk.processes().length === 0, 5_000);

  const { window } = await open();
  await window.press("Long work");
  await window.stepIs("Work long", "interrupted");
  assert.equal((await window.step("Count")).state, "done");
  assert.equal((await window.step("Finish")).state, "to do");
  await window.sees("The program ended while this plan ran.");
  assert.equal(desk.read("work/counter.txt"), "once\n");
  assert.equal(desk.read("work/long.txt"), "started\n", "it was not started again by itself");

  desk.write("work/go", "");
  await window.press("Retry");
  await window.sees("3 of 3");
  assert.equal(desk.read("work/counter.txt"), "once\n");
  assert.equal(desk.read("work/long.txt"), "started\nstarted\n");
  assert.equal(desk.read("work/end.txt"), "finished\n");
});
