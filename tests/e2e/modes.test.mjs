// Planner stops at the first failure; Teacher runs nothing until its user does.
import assert from "node:assert/strict";
import { story } from "./support/story.mjs";

const PAGE = `# Two lines

\`\`\`sh
echo first >> lines.txt
\`\`\`

\`\`\`sh
cat no-such-file.txt
\`\`\`

\`\`\`sh
echo third >> lines.txt
\`\`\`
`;

story("Planner stops at the first failure", async ({ desk, open }) => {
  const { window } = await open();
  await window.drop(desk.write("work/lines.md", PAGE));
  await window.chooseMode("Planner");
  await window.press("Run 3 steps");
  await window.sees("Stopped at a failure");
  const states = (await window.steps()).map((step) => step.state);
  assert.deepEqual(states, ["done", "failed", "to do"]);
  assert.equal(desk.read("work/lines.txt"), "first\n");
  await window.sees("No such file or directory");

  // The cause is put right by hand, and the run goes on from there.
  desk.write("work/no-such-file.txt", "here now\n");
  await window.press("Retry the failed step");
  await window.sees("3 steps ran in");
  assert.equal(desk.read("work/lines.txt"), "first\nthird\n");
});

story("Teacher explains each step and runs it when told to", async ({ desk, open }) => {
  const { window } = await open();
  await window.drop(
    desk.write("work/lines.md", "# One\n\n```sh\nmkdir -p made/here\n```\n\n```sh\nls made\n```\n"),
  );
  await window.chooseMode("Teacher");
  await window.press("Start, step by step");
  const steps = await window.until("the first step's turn", async () => {
    const shown = await window.steps();
    return shown[0]?.state === "your turn" ? shown : null;
  });
  await window.sees("Changes");
  await window.until("the explanation", async () => (await window.steps())[0].text.includes("-p"));
  assert.equal(steps[1].state, "to do");
  assert.equal(desk.has("work/made"), false, "nothing runs by itself");

  await window.press("Run this step");
  await window.until("the second step's turn", async () => (await window.steps())[1]?.state === "your turn");
  assert.ok(desk.has("work/made/here"));
  await window.press("Run this step");
  await window.sees("2 of 2");
});
