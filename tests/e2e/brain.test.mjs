// Failures that no rule of the field guide knows: a model is asked, and each of its answers is carried out, or refused, or
// asked about. The model's server is scripted.
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { correction, say } from "./support/model.mjs";
import { story } from "./support/story.mjs";

/** A command that works once `condition` holds, and else fails as nothing else in the world does. */
const machine = (condition) => `sh -c '${condition} || { echo flux capacitor out of phase >&2; exit 7; }'`;

const page = (command) => `# Start the machine

## Begin

\`\`\`sh
mkdir old && echo once >> counter.txt
\`\`\`

## Spin up

\`\`\`sh
${command}
\`\`\`

## Look

\`\`\`sh
echo looked >> end.txt
\`\`\`
`;

/** Opens the page at the desk and runs it in the Agentic mode; gives the window. */
async function run({ desk, open }, command) {
  const { window } = await open();
  await window.drop(desk.write("work/MACHINE.md", page(command)));
  await window.chooseMode("Agentic");
  await window.press("Run 3 steps");
  return window;
}

/** The run ends with these steps in these states, and what had worked before a failure ran once. */
async function ends(window, desk, steps) {
  await window.get("button", "Report");
  let states = [];
  const shown = async () => {
    // Marks follow a title on lines of their own; a new row has no words until it has grown in.
    states = (await window.steps()).map((step) => `${step.title.split("\n")[0]}: ${step.state}`);
    return states.join() === steps.join();
  };
  await window.until("the steps as they should be", shown, 3_000).catch(() => undefined);
  assert.deepEqual(states, steps);
  assert.equal(desk.read("work/counter.txt"), "once\n", "what had worked ran once");
}

story(
  "retry: what passes by itself is waited for, in sight",
  async ({ desk, open, model }) => {
    const window = await run({ desk, open }, machine("test -e tried || ! touch tried"));
    await window.sees("“Spin up” runs again in 1 s: what stopped it may pass by itself (2 of 4).");
    await window.look("brain-waits");
    await ends(window, desk, ["Begin: done", "Spin up: done", "Look: done"]);
    assert.equal(model.bodies.length, 1);
    assert.match(model.question(0), /flux capacitor out of phase/);
    assert.match(model.question(0), /<output>/, "what a command printed is marked as data");
  },
  {
    script: () =>
      correction({ action: "retry", reasoning: "It swings in.", transient: true, waitSeconds: 2 }),
  },
);

story(
  "modify: the command is changed, and the change is shown with its author and reason",
  async ({ desk, open }) => {
    const window = await run({ desk, open }, machine("false"));
    await window.sees("Plan revised · r2 · 1 changed");
    await window.sees("changed in r2");
    await window.sees("Changed by scripted:");
    await window.sees("The other switch starts it.");
    await ends(window, desk, ["Begin: done", "Spin up: done", "Look: done"]);
    assert.equal(desk.read("work/started.txt"), "started\n");
  },
  {
    script: () =>
      correction({
        action: "modify",
        reasoning: "The other switch starts it.",
        modifiedCommand: "echo started > started.txt",
      }),
  },
);

const step = (title, command) => ({ title, command, why: `${title} comes first.` });

story(
  "insert: a step that harms nothing is added and runs by itself",
  async ({ desk, open }) => {
    const window = await run({ desk, open }, machine("test -e tuned"));
    await window.sees("Plan revised · r2 · 1 step added");
    await window.sees("Added by scripted:");
    await ends(window, desk, ["Begin: done", "Tune it: done", "Spin up: done", "Look: done"]);
    assert.equal(await window.dialog(), null);
  },
  {
    script: () =>
      correction({
        action: "insert_steps",
        reasoning: "Not tuned.",
        newSteps: [step("Tune it", "touch tuned")],
      }),
  },
);

story(
  "insert: a dangerous step asks, nothing happens without a yes, and a yes runs it",
  async ({ desk, open, model }) => {
    const window = await run({ desk, open }, machine("test ! -e old"));
    const question = await window.question();
    assert.match(question, /scripted wants to add this step/i);
    assert.match(question, /rm -r old/);
    assert.match(question, /dangerous/i);
    assert.equal(await window.focused(), "Don't run");

    await window.press("Don't run");
    await window.sees("Paused: you did not let a step run.");
    assert.ok(desk.has("work/old"), "nothing was deleted");
    assert.equal(desk.has("work/end.txt"), false, "nothing went on");

    await window.press("Resume");
    await window.question();
    assert.ok(desk.has("work/old"));
    await window.keys("Control", "Enter");
    await ends(window, desk, ["Begin: done", "Clear the way: done", "Spin up: done", "Look: done"]);
    assert.equal(desk.has("work/old"), false);
    assert.equal(model.bodies.length, 1, "one answer was enough");
  },
  {
    script: () =>
      correction({
        action: "insert_steps",
        reasoning: "The old one is in the way.",
        newSteps: [step("Clear the way", "rm -r old")],
      }),
  },
);

story(
  "a lower risk claimed in the answer changes nothing: it still asks",
  async ({ desk, open }) => {
    const window = await run({ desk, open }, machine("test ! -e old"));
    const question = await window.question();
    assert.match(question, /rm -rf old/);
    assert.match(question, /dangerous/i);
    assert.doesNotMatch(question, /\bsafe\b/i);
    await window.press("Don't run");
    await window.sees("Paused: you did not let a step run.");
    assert.ok(desk.has("work/old"), "nothing was deleted");
  },
  {
    script: () =>
      correction({
        action: "modify",
        reasoning: "Nothing to worry about.",
        modifiedCommand: "rm -rf old",
        risk: "safe",
      }),
  },
);

story(
  "skip: the step is left out with the reason, and the rest runs",
  async ({ desk, open }) => {
    const window = await run({ desk, open }, machine("false"));
    await ends(window, desk, ["Begin: done", "Spin up: skipped", "Look: done"]);
    await window.sees("Skipped: Nothing needs the machine.");
    assert.equal(desk.read("work/end.txt"), "looked\n");
  },
  { script: () => correction({ action: "skip", reasoning: "Nothing needs the machine." }) },
);

story(
  "abort: the run waits for its user, with the reason and the other ways",
  async ({ desk, open }) => {
    const window = await run({ desk, open }, machine("false"));
    await window.sees("Recovery needs you");
    await window.sees("The agent gave up: The machine is broken.");
    await window.get("button", "Call the mechanic");
    await window.get("button", "Buy another one");
    await window.stepIs("Look", "to do");
    assert.equal(desk.has("work/end.txt"), false, "nothing went on");

    // One of the other ways is taken up with a click.
    await window.press("Call the mechanic");
    assert.equal(await (await window.get("textbox", "Say what to do")).getValue(), "Call the mechanic");
  },
  {
    script: () =>
      correction({
        action: "abort",
        reasoning: "The machine is broken.",
        alternatives: ["Call the mechanic", "Buy another one"],
      }),
  },
);

story(
  "two answers that cannot be used: the run waits, and nobody is asked a third time",
  async ({ desk, open, model }) => {
    const window = await run({ desk, open }, machine("false"));
    await window.sees("Recovery needs you");
    await window.sees("scripted twice gave an answer that cannot be used");
    await sleep(500);
    assert.equal(model.bodies.length, 2);
    assert.match(model.question(1), /That answer cannot be used/);
    assert.equal(desk.has("work/end.txt"), false, "nothing went on");
  },
  { script: (number) => say(number === 0 ? "Have you tried turning it off?" : '{"action": "explode"}') },
);

story(
  "five new steps offered: three are taken",
  async ({ desk, open }) => {
    const window = await run({ desk, open }, machine("test -e three"));
    await window.sees("Plan revised · r2 · 3 steps added");
    await ends(window, desk, [
      "Begin: done",
      "Make one: done",
      "Make two: done",
      "Make three: done",
      "Spin up: done",
      "Look: done",
    ]);
    assert.deepEqual(
      ["one", "two", "three", "four", "five"].filter((name) => desk.has(`work/${name}`)),
      ["one", "two", "three"],
    );
  },
  {
    script: () =>
      correction({
        action: "insert_steps",
        reasoning: "Some things are missing.",
        newSteps: ["one", "two", "three", "four", "five"].map((name) =>
          step(`Make ${name}`, `touch ${name}`),
        ),
      }),
  },
);

story(
  "what the user says to a stuck run reaches the model",
  async ({ desk, open, model }) => {
    const window = await run({ desk, open }, machine("test -e tuned"));
    await window.sees("Recovery needs you");
    await window.write("Tune it with the small key", "Send guidance");
    await ends(window, desk, ["Begin: done", "Turn the key: done", "Spin up: done", "Look: done"]);
    assert.equal(model.bodies.length, 2);
    assert.match(model.question(1), /The user says: Tune it with the small key/);
  },
  {
    script: (_number, body) =>
      JSON.stringify(body).includes("the small key")
        ? correction({
            action: "insert_steps",
            reasoning: "As you said.",
            newSteps: [step("Turn the key", "touch tuned")],
          })
        : correction({ action: "abort", reasoning: "I do not know this machine." }),
  },
);
