// The main story: a page of instructions runs, fails, is mended, asks before danger, and ends well.
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { story } from "./support/story.mjs";

const PAGE = `# Tidy the garden site

Builds a page and throws the old one away.

## Begin

\`\`\`sh
echo begun >> counter.txt
\`\`\`

## Write the page

\`\`\`sh
echo '<h1>Garden</h1>' > public/pages/index.html
\`\`\`

## Make something old

\`\`\`sh
mkdir old && touch old/page.html
\`\`\`

## Throw the old page away

\`\`\`sh
find old -delet
\`\`\`

## Look

\`\`\`sh
cat public/pages/index.html
\`\`\`
`;

story("a page runs, fails, is mended, asks before danger, and ends well", async ({ desk, open }) => {
  const { window } = await open();

  // An empty home: three ways to begin, and nothing else.
  await window.sees("What should get done?");
  await window.sees("Follow a page");
  await window.sees("Sessions appear here.");

  await window.drop(desk.write("work/GARDEN.md", PAGE));
  await window.get("button", "Run 5 steps");
  assert.equal(desk.has("work/counter.txt"), false, "nothing runs before it is confirmed");

  await window.chooseMode("Agentic");
  await window.press("Run 5 steps");

  // The second step fails; a step is added before it, with its reason.
  await window.sees("Plan revised · r2 · 1 step added");
  await window.sees("added in r2");
  await window.sees("Added by the field guide:");

  // A repair that deletes asks first, with the focus on the harmless answer.
  const question = await window.until("the question", () => window.dialog());
  assert.match(question, /find old -delete/);
  assert.match(question, /dangerous/i);
  assert.match(question, /Can be undone/);
  assert.equal(await window.focused(), "Don't run");
  assert.ok(desk.has("work/old/page.html"), "nothing is deleted while the question is open");

  // A bare Enter, once keys count, takes the harmless answer.
  await sleep(500);
  await window.keys("Enter");
  await window.sees("Paused: you did not let a step run.");
  assert.ok(desk.has("work/old/page.html"), "Enter approved nothing");

  // Asked again, only Ctrl+Enter approves, and not in the first moments.
  await window.press("Resume");
  await window.until("the question again", () => window.dialog());
  await window.keys("Control", "Enter");
  assert.ok(desk.has("work/old/page.html"), "a key that was on its way approved nothing");
  assert.ok(await window.dialog(), "the question is still there");
  await sleep(500);
  await window.keys("Control", "Enter");

  await window.get("button", "Report");
  await window.sees("6 of 6");
  const steps = await window.steps();
  assert.deepEqual(
    steps.map((step) => step.state),
    steps.map(() => "done"),
  );
  assert.equal(steps.length, 6);
  assert.equal(desk.has("work/old"), false);
  assert.equal(desk.read("work/counter.txt"), "begun\n", "each step ran once");
  assert.equal(desk.read("work/public/pages/index.html"), "<h1>Garden</h1>\n");

  await window.press("Report");
  const report = await window.until("the report", async () => {
    const text = await window.dialog();
    return text?.includes("find old") ? text : null;
  });
  assert.match(report, /Tidy the garden site/);
  assert.match(report, /mkdir -p public\/pages/);
});

story("a pasted page and a bundled example become plans of their own", async ({ open }) => {
  const { window } = await open();
  await window.sees("What should get done?");
  await window.paste("# Say it\n\n```sh\n$ echo hello from the page\nhello from the page\n```\n");
  await window.press("Run 1 step");
  await window.sees("1 of 1");
  await window.sees("hello from the page");

  await window.press("New session");
  await window.press("Try an example");
  await window.press("Photo notes");
  await window.chooseMode("Agentic");
  await window.until("the plan to be confirmed", async () => {
    const run = /Run \d+ steps/.exec(await window.text());
    if (run) await window.press(run[0]);
    return run;
  });
  await window.get("button", "Report", 60_000);
  await window.until("the repairs", async () => /repairs? (was|were) needed\./.test(await window.text()));
  await window.sees("Photo notes: done");
});
