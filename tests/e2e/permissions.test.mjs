// Rules in the real window: what one covers, what it does not, how it is taken back, and what never runs.
import assert from "node:assert/strict";
import { call, say } from "./support/model.mjs";
import { story } from "./support/story.mjs";

/** Steps that a careful user is asked about, one after the other. */
const PAGE = `# Count

\`\`\`sh
touch one.txt
\`\`\`

\`\`\`sh
touch two.txt
\`\`\`

\`\`\`sh
sleep 8
\`\`\`

\`\`\`sh
touch three.txt
\`\`\`
`;

/** Opens the window, asked about everything that changes something. */
async function careful(open) {
  const opened = await open();
  const { window } = opened;
  await window.press("Settings");
  const ask = await window.get("combobox", "Ask before");
  await ask.selectByVisibleText("Every command that changes something");
  await window.press("New session");
  await window.sees("What should get done?");
  return opened;
}

/** Waits for the question, which is a card first when it comes while something is typed; gives its words. */
async function asked(window) {
  await window.until("the question", async () => (await window.dialog()) ?? window.find("button", "Review"));
  if (!(await window.dialog())) await window.press("Review");
  return window.question();
}

/** Answers the open question with a rule: "every touch command", "in this folder". */
async function allowAlways(window, rule, lifetime) {
  await asked(window);
  await (await window.get("combobox", "Remember")).selectByVisibleText(rule);
  await (await window.get("combobox", "For how long")).selectByVisibleText(lifetime);
}

story("a rule that is taken back during a run no longer counts", async ({ desk, open }) => {
  const { window } = await careful(open);
  await window.drop(desk.write("work/COUNT.md", PAGE));
  await window.press("Run 4 steps");

  // The first question makes the rule, and the second step runs by it.
  await allowAlways(window, "every touch command", "in this folder");
  await window.look("permission-rule");
  await window.press("Always allow touch in this folder");
  await window.until("the second step to run by the rule", () => desk.has("work/two.txt"));

  // While the third runs, which asks nothing, the rule is taken back.
  await window.press("Permissions");
  await window.sees("used 1 time");
  await window.look("permissions-page");
  await window.press("Take back the rule for touch");
  await window.sees("No rules yet");

  const again = await window.question();
  assert.match(again, /touch three\.txt/);
  assert.equal(desk.has("work/three.txt"), false, "nothing runs by a rule that was taken back");
  await window.press("Run once");
  await window.until("the last step", () => desk.has("work/three.txt"));
});

story(
  "a rule for git fetch does not cover git fetch && rm -rf x",
  async ({ desk, open, model }) => {
    desk.write("home/x/kept.txt", "kept\n");
    const { window } = await careful(open);
    await window.keys("Alt", "2");
    await window.get("button", "What to do with it: Chat");
    await window.write("Fetch.");
    await allowAlways(window, "every git fetch command", "in this session");
    await window.press("Always allow git fetch in this session");

    // The same once more asks nothing; with a deletion behind it, it asks, and no rule is offered.
    const question = await window.until("the question about the longer line", async () => {
      const shown = await window.dialog();
      return shown?.includes("rm -rf x") ? shown : null;
    });
    assert.match(question, /dangerous/i);
    assert.equal(await (await window.get("combobox", "Remember")).isEnabled(), false);
    await window.look("permission-longer");
    assert.equal(model.bodies.length, 3, "the second call ran by the rule, and the third is asked about");
    assert.ok(desk.has("home/x/kept.txt"));
    await window.question();
    await window.press("Don't run");
    await window.sees("You stopped this here.");
    assert.ok(desk.has("home/x/kept.txt"), "a rule covers a line only when it covers all of it");
  },
  {
    script: (number) =>
      [
        call(["shell", { command: "git fetch" }]),
        call(["shell", { command: "git fetch --all" }]),
        call(["shell", { command: "git fetch && rm -rf x" }]),
      ][number] ?? say("It stays."),
  },
);

story("a command that is changed into a riskier one is asked about again", async ({ desk, open }) => {
  desk.write("work/x/kept.txt", "kept\n");
  const { window } = await careful(open);
  await window.drop(desk.write("work/ONE.md", "# One\n\n```sh\ntouch one.txt\n```\n"));
  await window.press("Run 1 step");
  await window.question();
  await window.press("Edit command");
  const box = await window.get("textbox", "Command");
  await box.setValue("touch one.txt && rm -rf x");
  await window.press("Use this");
  await window.press("Run my version");

  const again = await window.until("the second question", async () => {
    const shown = await window.dialog();
    return shown?.includes("You edited this command") ? shown : null;
  });
  assert.match(again, /dangerous/i);
  assert.match(again, /rm -rf x/);
  assert.ok(desk.has("work/x/kept.txt"), "the answer to the first question did not cover it");
  assert.equal(desk.has("work/one.txt"), false);
  await window.look("permission-changed");
  await window.question();
  await window.press("Don't run");
  await window.sees("Paused: you did not let a step run.");
  assert.ok(desk.has("work/x/kept.txt"));
});

story("a never rule refuses, in whatever line the command stands", async ({ desk, open }) => {
  const { window } = await open();
  await window.press("Permissions");
  await window.press("Add a rule");
  const box = await window.get("textbox", "Command");
  await box.setValue("--force");
  await window.press("Never run this");
  await window.until("the engine to say what is wrong", () =>
    window.browser.execute(() => document.querySelector("form [role=alert]") !== null),
  );
  await box.setValue("touch");
  await window.press("Never run this");
  await window.get("button", "Take back the rule for touch");
  await window.look("permissions-never");

  await window.press("New session");
  await window.drop(desk.write("work/TWO.md", "# Two\n\n```sh\necho first && touch two.txt\n```\n"));
  await window.press("Run 1 step");
  await window.sees("You never allow");
  assert.equal(await window.dialog(), null, "what is refused for good is not asked about");
  assert.equal(desk.has("work/two.txt"), false);
});
