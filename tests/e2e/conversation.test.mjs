// A conversation with a model, whose server is scripted: what is shown, what runs, what stops, and what the model is told.
import assert from "node:assert/strict";
import { call, door, lastWords, refusal, say, wantsPlan } from "./support/model.mjs";
import { story } from "./support/story.mjs";

/** Opens the window and says something, to be talked about. */
async function begin(open, words) {
  const opened = await open();
  await opened.window.sees("What should get done?");
  await opened.window.keys("Alt", "2");
  await opened.window.get("button", "What to do with it: Chat");
  await opened.window.write(words);
  return opened;
}

const held = door();

story(
  "an answer is read while it comes; its Markdown is drawn and its HTML is text",
  async ({ open, model }) => {
    const { window } = await begin(open, "What grows in the garden?");
    await window.sees("Three beds");
    await window.look("talk-streaming");
    assert.equal(model.sent[0], undefined, "the answer is not whole yet");
    await window.get("button", "Stop the answer");
    held.open();
    await window.sees("That is all.");
    await window.until("the end of the turn", async () => !(await window.find("button", "Stop the answer")));

    const drawn = await window.browser.execute(() => {
      const log = document.querySelector("[role=log]");
      const text = (tag) => [...log.querySelectorAll(tag)].map((one) => one.innerText);
      return {
        heading: text("h3"),
        strong: text("strong"),
        items: text("li"),
        cells: text("td"),
        live: log.querySelectorAll("img, script, iframe, a[href], [onerror]").length,
        ran: window.broken ?? null,
      };
    });
    assert.deepEqual(drawn, {
      heading: ["Three beds"],
      strong: ["sunny"],
      items: ["peas", "beans"],
      cells: ["peas", "12"],
      live: 0,
      ran: null,
    });
    await window.sees('<img src=x onerror="window.broken=1">');
    await window.sees("<script>window.broken=2</script>");
    await window.look("talk-markdown");
  },
  {
    script: () =>
      say([
        "## Three beds\n\nThe first is **sunny**:\n\n- peas\n- beans\n\n",
        held.wait,
        "| what | how many |\n| --- | --- |\n| peas | 12 |\n\n",
        '<img src=x onerror="window.broken=1">\n\n<script>window.broken=2</script>\n\n',
        "Look [here](javascript:window.broken=3). That is all.\n",
      ]),
  },
);

story(
  "two calls of a round run, have their cards, and both results go back in order",
  async ({ desk, open, model }) => {
    desk.write("home/notes.txt", "the peas are ripe\n");
    const { window } = await begin(open, "How are the peas?");
    await window.sees("The peas are ripe, as both say.");
    const said = await window.conversation();
    assert.match(said, /Ran echo counted 12 peas/);
    assert.match(said, /Read notes\.txt/);
    const results = model.bodies[1].messages.filter((message) => message.role === "tool");
    assert.equal(results.length, 2);
    assert.match(results[0].content, /counted 12 peas/);
    assert.match(results[1].content, /the peas are ripe/);
    await window.look("talk-tools");
  },
  {
    script: (number) =>
      number === 0
        ? call(["shell", { command: "echo counted 12 peas" }], ["read_file", { path: "notes.txt" }])
        : say("The peas are ripe, as both say."),
  },
);

story(
  "an edit asks with its difference, and is written when it was allowed",
  async ({ desk, open }) => {
    desk.write("home/notes.txt", "peas: green\nbeans: green\n");
    const { window } = await begin(open, "The peas are ripe. Note it.");
    const question = await window.question();
    await window.look("talk-edit");
    assert.match(question, /Change this file\?/);
    assert.match(question, /notes\.txt/);
    assert.match(question, /peas: green/);
    assert.match(question, /peas: ripe/);
    assert.equal(await window.focused(), "Don't run");
    assert.equal(desk.read("home/notes.txt"), "peas: green\nbeans: green\n", "nothing is written yet");
    await window.press("Run once");
    await window.sees("It is noted.");
    assert.equal(desk.read("home/notes.txt"), "peas: ripe\nbeans: green\n");
    await window.look("talk-edited");
  },
  {
    script: (number) =>
      number === 0
        ? call(["edit_file", { path: "notes.txt", old: "peas: green", new: "peas: ripe" }])
        : say("It is noted."),
  },
);

const never = door();

story(
  "Esc stops a running answer at once, and the conversation goes on",
  async ({ open, model }) => {
    const { window } = await begin(open, "Tell me a long story.");
    await window.sees("Once upon a time");
    const pressed = Date.now();
    await window.keys("Escape");
    await window.sees("You stopped this here.");
    assert.ok(model.left[0] - pressed < 1_000, `the stream was left after ${model.left[0] - pressed} ms`);
    await window.look("talk-stopped");
    await window.write("A short one, then.");
    await window.sees("The end.");
    assert.match(JSON.stringify(model.bodies[1]), /Request interrupted by user/);
  },
  { script: (number) => say(number === 0 ? ["Once upon a time ", never.wait, "…"] : "The end.") },
);

story(
  "what to do instead reaches the model, and the call does not run",
  async ({ desk, open, model }) => {
    desk.write("home/old/page.html", "old\n");
    const { window } = await begin(open, "Tidy up.");
    const question = await window.question();
    assert.match(question, /rm -r old/);
    await window.press("Tell the agent what to do instead");
    await (await window.get("textbox", "What to do instead")).setValue("Keep the old pages, just count them");
    await window.look("talk-instead");
    await window.press("Send, don't run");
    await window.sees("There is one old page.");
    assert.ok(desk.has("home/old/page.html"));
    assert.equal(lastWords(model.bodies[1]), "Keep the old pages, just count them");
    assert.match(
      model.bodies[1].messages.find((message) => message.role === "tool").content,
      /^\[Request interrupted by user for tool use\]/,
    );
  },
  {
    script: (number) =>
      number === 0 ? call(["shell", { command: "rm -r old" }]) : say("There is one old page."),
  },
);

const PLAN = JSON.stringify({
  title: "Move the pages",
  intent: "All pages in one folder.",
  steps: [
    { title: "Make the folder", kind: "execute", command: "mkdir pages", why: "They need a place." },
    { title: "Write one", kind: "execute", command: "echo one > pages/one.html", why: "There is none." },
  ],
});
const WORK =
  "Refactor the site: move a.html and b.html into pages/, then install the tools and set up the tests";

story(
  "a request for work becomes a plan; rejected, it is talked about; approved, it runs",
  async ({ desk, open, model }) => {
    const { window } = await open();
    await window.write(WORK);
    await window.get("button", "Run 2 steps");
    await window.sees("waits for you to confirm it");
    await window.sees("Plan: ");
    await window.look("talk-plan");
    assert.equal(desk.has("home/pages"), false, "nothing runs before it is confirmed");
    await window.press("Reject");
    await window.sees("Then we go without a plan.");
    assert.match(JSON.stringify(model.bodies.at(-1)), /move a\.html and b\.html/);
    assert.equal(desk.has("home/pages"), false);
    await window.look("talk-plan-rejected");

    await window.write(WORK);
    await window.press("Run 2 steps");
    await window.until("the end of the plan", () => desk.has("home/pages/one.html"));
    await window.get("button", "Report");
    await window.look("talk-plan-done");
  },
  { script: (_number, body) => say(wantsPlan(body) ? PLAN : "Then we go without a plan.") },
);

story(
  "a message is said differently: what followed it leaves the conversation",
  async ({ open, model }) => {
    const { window } = await begin(open, "Count the apples");
    await window.sees("You said: Count the apples");
    await window.press("Edit and resend");
    await window.sees("Editing an earlier message");
    await window.look("talk-editing");
    await window.write("Count the pears", "Send again");
    await window.sees("You said: Count the pears");
    assert.doesNotMatch(await window.conversation(), /apples/);
    assert.doesNotMatch(JSON.stringify(model.bodies[1]), /apples/);
  },
  { script: (_number, body) => say(`You said: ${lastWords(body)}`) },
);

story(
  "a rejected key and a server that is none are told apart, and trying again works once they are right",
  async ({ open, model }) => {
    const { window } = await begin(open, "Good morning");
    await window.sees("The model could not answer");
    const key = await window.conversation();
    assert.match(key, /key/i);
    await window.look("talk-key");

    model.script = () => ({ raw: "<!doctype html><title>Router</title>", type: "text/html" });
    await window.press("Try again");
    await window.until("another error", async () => {
      const now = await window.conversation();
      return now.includes("The model could not answer") && now !== key;
    });
    assert.match(await window.conversation(), /web page|HTML/i);
    await window.look("talk-html");

    model.script = () => say("Good morning to you.");
    await window.press("Try again");
    await window.sees("Good morning to you.");
    assert.doesNotMatch(await window.conversation(), /could not answer/);
  },
  { script: () => refusal(401, "Incorrect API key provided.") },
);

story(
  "opened again, the conversation is as it was, and goes on",
  async ({ desk, open, model }) => {
    desk.write("home/notes.txt", "peas\n");
    const first = await begin(open, "What grows here?");
    await first.window.sees("Peas grow here.");
    await first.window.until(
      "the end of the turn",
      async () => !(await first.window.find("button", "Stop the answer")),
    );
    const before = await first.window.conversation();
    await first.app.close();

    const { window } = await open();
    await window.press("What grows here?");
    await window.sees("Peas grow here.");
    assert.equal(await window.conversation(), before);
    await window.look("talk-again");
    await window.write("And next year?");
    await window.sees("Beans.");
    assert.match(
      JSON.stringify(model.bodies.at(-1)),
      /What grows here\?.*Peas\*\* grow here\..*And next year\?/s,
    );
  },
  {
    script: (number) =>
      [call(["read_file", { path: "notes.txt" }]), say("**Peas** grow here."), say("Beans.")][number],
  },
);
