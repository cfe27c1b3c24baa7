// A goal in the real window, worked by a scripted model: its to-dos, the user's words and hand, the check at the end, the report.
import assert from "node:assert/strict";
import { door, say } from "./support/model.mjs";
import { story } from "./support/story.mjs";

const todo = (id, title, status = "pending") => ({ id, title, status, priority: "medium" });

/** A signal of the model's. */
const signal = (status, selfAssessment, todos, nextAction) =>
  say(
    JSON.stringify({ status, todos, nextAction: nextAction ?? null, selfAssessment, completionEstimate: 50 }),
  );

const shell = (content, rationale) => ({ type: "shell", content, rationale });

/** Sets a goal whose check is a command. */
async function pursue(open, goal, check) {
  const opened = await open();
  const { window } = opened;
  await window.sees("What should get done?");
  await window.keys("Alt", "6");
  await window.get("button", "What to do with it: Goal");
  const choice = await window.get("radio", "A command succeeds");
  await choice.click();
  const field = await window.get("textbox", "The command that must succeed");
  await field.setValue(check);
  await window.write(goal, "Pursue this goal");
  return opened;
}

/** Writes into a field by its name. */
async function fill(window, name, text) {
  const field = await window.get("textbox", name);
  await field.click();
  await window.browser.execute((pasted) => document.execCommand("insertText", false, pasted), text);
}

const held = door();

story(
  "a goal is worked, paused, given guidance, taken over, handed back and finished; its report opens",
  async ({ desk, open, model }) => {
    desk.write("home/old.log", "old\n");
    desk.write("home/seeds.txt", "peas\n");
    const { window } = await pursue(open, "Make the garden list.", "test -f beds.txt");

    await window.sees("I look first.");
    await window.sees("Look at the seeds");
    await window.sees("Iteration 1");
    await window.until("the first action's card", async () =>
      (await window.conversation()).includes("Ran cat seeds.txt"),
    );
    await window.look("goal-working");

    // It holds while the model thinks about the second step; what is said now is in the next question.
    await window.press("Pause");
    held.open();
    await window.sees("Nothing runs until you resume it.");
    await window.write("Beans belong to it too.", "Send guidance");
    await window.sees("Beans belong to it too.");
    await fill(window, "Add a to-do", "Say how many there are");
    await window.keys("Enter");
    await window.sees("You changed the list: 1 added");
    await window.look("goal-paused");
    // The list's own button: the one in the conversation still moves as that scrolls to its end.
    await (await window.browser.$("(//button[normalize-space()='Resume'])[last()]")).click();

    // The dangerous action is asked about as everywhere, and the user does it.
    const question = await window.question();
    assert.match(question, /rm -rf/);
    await window.look("goal-asks");
    await window.press("Take over");
    await window.sees("In your hands");
    await window.look("goal-hand");
    await fill(window, "What did you do, and what came of it?", "I moved the old log myself.");
    await window.press("Hand back");
    await window.sees("You did this one yourself");
    assert.equal(desk.read("home/old.log"), "old\n", "the agent's own command was never run");

    // Done too early: a to-do is open, then the check fails, then it is really done.
    await window.sees("It said it was done.");
    await window.sees("The goal is reached");
    assert.equal(desk.read("home/beds.txt"), "peas\nbeans\n");
    const list = await window.browser.execute(() =>
      [...document.querySelectorAll("li[data-todo]")].map((row) => row.innerText),
    );
    assert.equal(list.length, 3);
    assert.ok(
      list.every((row) => row.includes("done")),
      list.join(" | "),
    );
    assert.ok(list.some((row) => row.includes("Say how many there are") && row.includes("you")));
    await window.look("goal-reached");

    await window.press("Report");
    await window.sees("Make the garden list.");
    await window.until("the report", async () =>
      /I moved the old log myself/.test(
        await window.browser.execute(() => document.querySelector("[role=dialog] article")?.innerText ?? ""),
      ),
    );
    await window.look("goal-report");

    const asked = model.bodies.map((_, number) => model.question(number));
    assert.ok(
      asked.some((text) => text.includes("Beans belong to it too.")),
      "guidance reached the model",
    );
    assert.ok(
      asked.some((text) => text.includes("Say how many there are")),
      "the user's to-do reached the model",
    );
    assert.ok(
      asked.some((text) => text.includes("I moved the old log myself.")),
      "what the user did reached the model",
    );
  },
  {
    timeout: 240_000,
    script: async (number, body) => {
      const text = body.messages.map((message) => message.content ?? "").join("\n");
      const own = /"?(say-1)"?/.exec(text) ? [todo("say-1", "Say how many there are")] : [];
      const done = [
        todo("look", "Look at the seeds", "completed"),
        todo("write", "Write the beds", "completed"),
      ];
      if (number === 0) {
        return signal(
          "planning",
          "I look first.",
          [todo("look", "Look at the seeds", "in-progress"), todo("write", "Write the beds")],
          shell("cat seeds.txt", "To know what there is."),
        );
      }
      const half = [
        todo("look", "Look at the seeds", "completed"),
        todo("write", "Write the beds", "in-progress"),
      ];
      if (!text.includes("I moved the old log myself.")) {
        if (number === 1) await held.wait();
        return signal(
          "executing",
          "The old log is in the way.",
          [...half, ...own],
          shell("rm -rf old.log /tmp/none-of-it", "It is in the way."),
        );
      }
      if (!text.includes("printf")) {
        return signal(
          "executing",
          "Now the list.",
          [...half, ...own],
          shell("printf 'peas\\nbeans\\n' > beds.txt", "That is the list."),
        );
      }
      if (!/these to-dos are open/.test(text)) return signal("complete", "All is there.", [...done, ...own]);
      return signal("complete", "Two there are.", [...done, { ...own[0], status: "completed" }]);
    },
  },
);
