// A goal in the real window, worked by a scripted model: its to-dos, the user's words and hand, the check at the end, the report;
// and the sub-goals that it hands to-dos to.
import assert from "node:assert/strict";
import { door, say } from "./support/model.mjs";
import { story } from "./support/story.mjs";

const todo = (id, title, status = "pending") => ({ id, title, status, priority: "medium" });

/** A signal of the model's; `more`: what else stands in it. */
const signal = (status, selfAssessment, todos, nextAction, more = {}) =>
  say(
    JSON.stringify({
      status,
      todos,
      nextAction: nextAction ?? null,
      selfAssessment,
      completionEstimate: 50,
      ...more,
    }),
  );

const shell = (content, rationale) => ({ type: "shell", content, rationale });
const reads = (content, rationale) => ({ type: "file_read", content, rationale });

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
    await window.fill("Add a to-do", "Say how many there are");
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
    await window.fill("What did you do, and what came of it?", "I moved the old log myself.");
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

const SEEDS = "Find out which seeds there are and when each of them is sown";
const BEDS = "Find out which beds are free this year";
const TOOLS = "Say which tools are missing";

/** What the goal's model hands to two sub-goals, and goes on with; the third to-do is the user's to hand on. */
const garden = (seeds, beds, write, tools = "pending") => [
  todo("seeds", "Look at the seeds", seeds),
  todo("beds", "Look at the beds", beds),
  todo("write", "Write the plan of the year", write),
  todo("tools", TOOLS, tools),
];

const both = door();

/** What each sub-goal's model says in its iterations, by the words of its goal. */
const LOOKERS = {
  [SEEDS]: [
    async () =>
      signal("executing", "I read the list of seeds.", [], reads("seeds.txt", "It names what there is.")),
    async () => {
      await both.wait();
      return signal("executing", "I note them down.", [], shell("echo peas > sown.txt", "To keep them."));
    },
    async () => signal("complete", "Peas are sown in March and beans in May (seeds.txt, lines 1 and 2).", []),
  ],
  [BEDS]: [
    async () => signal("executing", "I read the beds.", [], reads("beds.txt", "It names them all.")),
    async () => {
      await both.wait();
      return signal("executing", "I count them, too.", [], shell("wc -l beds.txt", "To miss none."));
    },
    async () => signal("complete", "Two of three beds are free: the one at the wall and the long one.", []),
  ],
  [TOOLS]: [async () => signal("stuck", "No file names the tools.", [])],
};

/** The cards of sub-goals as they stand in the conversation. */
const branches = (window) =>
  window.browser.execute(() =>
    [...document.querySelectorAll("[role=log] section[data-branch]")].map((card) => {
      const title = document.getElementById(card.getAttribute("aria-labelledby"));
      const { left, top } = card.getBoundingClientRect();
      return { title: title?.innerText ?? "", text: card.innerText, left, top };
    }),
  );

story(
  "sub-goals look into two to-dos side by side and change nothing; the user hands on a third",
  async ({ desk, open, model }) => {
    desk.write("home/seeds.txt", "peas: March\nbeans: May\n");
    desk.write("home/beds.txt", "wall: free\npond: mint\nlong: free\n");
    const { window } = await pursue(open, "Plan the garden year.", "test -f plan.txt");

    // Both are under way at once: each has read its file, and both of their models are thinking.
    await window.sees(`Sub-goal 2: ${BEDS}`);
    const running = await window.until("both to have read", async () => {
      const cards = await branches(window);
      return cards.length === 2 && cards.every(({ text }) => text.includes("1 thing looked at")) && cards;
    });
    assert.deepEqual(
      running.map(({ title }) => title),
      [`Sub-goal 1: ${SEEDS}`, `Sub-goal 2: ${BEDS}`],
    );
    for (const [card, said, read] of [
      [running[0], "I read the list of seeds.", "seeds.txt"],
      [running[1], "I read the beds.", "beds.txt"],
    ]) {
      for (const part of ["looking", "iteration 1 of 8", said, read]) {
        assert.ok(card.text.includes(part), `“${part}” is missing in: ${card.text}`);
      }
    }
    await window.until("both models to be asked again", () => model.bodies.length === 5);
    assert.deepEqual(model.sent.filter(Boolean).length, 3, "two are waited for at once");
    await window.sees("Waiting for what its 2 sub-goals find");
    await window.look("sub-goals-looking");

    both.open();
    const found = await window.until("both to have ended", async () => {
      const cards = await branches(window);
      return cards.every(({ text }) => text.includes("found")) && cards;
    });
    assert.match(found[0].text, /Peas are sown in March and beans in May/);
    assert.match(found[0].text, /1 thing looked at, 1 not allowed/);
    assert.match(found[1].text, /2 things looked at/);
    assert.match(found[1].text, /Two of three beds are free/);
    // Each was asked three times, and its own questions alone are counted.
    for (const { text } of found) assert.match(text, /iteration 3 of 8 · 45 tokens · /);
    await window.sees("Both are known.");
    await window.until("the plan", async () => (await window.conversation()).includes("Ran printf"));
    assert.equal(desk.has("home/sown.txt"), false, "what writes was not run");

    // What was refused stays folded until it is asked for, and says why.
    const refused = await window.get("button", "Wants to run echo peas > sown.txt");
    assert.equal(await refused.getAttribute("aria-expanded"), "false");
    await refused.click();
    await window.sees("Refused, it was not run: A sub-goal only reads");
    await window.look("sub-goals-found");

    // The goal's own model thinks; the user hands on the last to-do meanwhile.
    await window.sees("Thinking about the next step");
    await window.press(`More for “${TOOLS}”`);
    await window.press("Look into it as a sub-goal");
    await window.sees(`Sub-goal 3: ${TOOLS}`);
    const own = await window.until("the user's own to have ended", async () => {
      const card = (await branches(window)).at(-1);
      return card.text.includes("stuck") && card;
    });
    assert.match(own.text, /you wanted it/);
    assert.match(own.text, /No file names the tools\./);

    await window.sees("The goal is reached");
    await window.look("sub-goals-reached");
    assert.equal(desk.read("home/plan.txt"), "March: peas\n");

    await window.press("Report");
    const report = await window.until("the report's part of the sub-goals", async () => {
      const text = await window.browser.execute(
        () => document.querySelector("[role=dialog] article")?.innerText ?? "",
      );
      return text.includes("Sub-goals") && text;
    });
    for (const part of [`Sub-goal 1: ${SEEDS}`, `Sub-goal 3: ${TOOLS}`, "Asked for by you"]) {
      assert.ok(report.includes(part), `“${part}” is missing in the report: ${report}`);
    }
    await window.browser.execute(() =>
      [...document.querySelectorAll("[role=dialog] article h2")]
        .find((heading) => heading.innerText === "Sub-goals")
        ?.scrollIntoView(),
    );
    await window.look("sub-goals-report");
    const last = model.question(model.bodies.length - 1);
    assert.ok(last.includes("No file names the tools."), "the goal's model was told what the user's found");
  },
  {
    timeout: 240_000,
    script: async (_, body) => {
      const text = body.messages.map((message) => message.content ?? "").join("\n");
      const looker = Object.keys(LOOKERS).find((goal) => text.includes(`Your sub-goal: ${goal}`));
      if (looker) {
        const iteration = Number(/This is iteration (\d+) of/.exec(text)[1]);
        return LOOKERS[looker][iteration - 1]();
      }
      if (!text.includes("agent_1_")) {
        return signal(
          "planning",
          "Two things can be looked into at once.",
          garden("in-progress", "in-progress"),
          null,
          {
            subGoals: [
              { todoId: "seeds", goal: SEEDS },
              { todoId: "beds", goal: BEDS },
            ],
          },
        );
      }
      if (!text.includes("printf")) {
        return signal(
          "executing",
          "Both are known.",
          garden("completed", "completed", "in-progress"),
          shell("printf 'March: peas\\n' > plan.txt", "That is the plan."),
        );
      }
      // It thinks until the user's sub-goal makes this question void.
      if (!text.includes("agent_3_")) await new Promise(() => {});
      return signal(
        "complete",
        "The plan stands; of the tools nothing is written anywhere.",
        garden("completed", "completed", "completed", "completed"),
      );
    },
  },
);
