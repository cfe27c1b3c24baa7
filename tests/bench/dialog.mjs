// How long the window's user waits, in the real window with a scripted model: from a tool call to the painted question about
// it, and from Esc to the stopped answer. Prints median and 99th percentile beside what is wanted.
import { setTimeout as sleep } from "node:timers/promises";
import { App, PROGRAM } from "../e2e/support/app.mjs";
import { Desk } from "../e2e/support/desk.mjs";
import { call, door, lastWords, ModelServer, say } from "../e2e/support/model.mjs";
import { until } from "../e2e/support/until.mjs";
import { Window } from "../e2e/support/window.mjs";
import { print } from "./figures.mjs";

const REPETITIONS = 30;
/** For as long nothing is asked of the page before something is measured, nor while it is: the driver works in it too. */
const QUIET = 600;

/*
 * Where the clocks start and stop. All of it runs on one machine, and both sides read its clock (Date.now, 1 ms).
 *
 * The question: from the moment before the server writes the last bytes of the answer that holds the call, so that the
 * network, the reading of the stream, the risk assessment, the journal, the way into the page and the drawing all count; the
 * engine cannot know the call earlier. To the first task after the frame in which the dialog is in the document: by then
 * that frame was handed to the screen.
 *
 * Esc: from the key's arrival in the page, to the end of the connection as the server sees it (the stream is stopped), and to
 * the frame in which the page says that it stopped.
 */
await main();

async function main() {
  const desk = new Desk();
  const model = await ModelServer.start(answer);
  desk.variables = model.variables();
  const app = await App.open(desk);
  try {
    const window = new Window(app.browser);
    await window.sees("What should get done?");
    await window.keys("Alt", "2");
    await window.browser.execute(watch);
    console.log(`${PROGRAM}, ${REPETITIONS} times each`);
    const questions = [];
    const parts = { drawn: [], painted: [] };
    const streams = [];
    const stops = [];
    // The first of each is to warm up.
    for (let time = 0; time <= REPETITIONS; time += 1) {
      const { asked, drawn, painted } = await askOnce(window, model);
      questions.push(painted - asked);
      parts.drawn.push(drawn - asked);
      parts.painted.push(painted - drawn);
    }
    for (let time = 0; time <= REPETITIONS; time += 1) {
      const { stream, shown } = await stopOnce(window, model);
      streams.push(stream);
      stops.push(shown);
    }
    print("tool call known → question painted", questions, 100);
    print("    known → in the document", parts.drawn);
    print("    in the document → on the screen", parts.painted);
    print("Esc → stream stopped", streams, 50);
    print("Esc → “stopped” painted", stops, 100);
    if (model.refused.length > 0) throw new Error(`A provider would have refused: ${model.refused[0]}`);
  } finally {
    await app.close();
    await model.close();
    desk.clear();
  }
}

/** Asks for a deletion, or talks until it is stopped. */
function answer(_number, body) {
  // No model answers in the moment in which it is asked; by then the page has drawn the message that was sent.
  const thinks = () => sleep(QUIET);
  if (lastWords(body).includes("a story")) return say(["Once upon a time ", door().wait]);
  return { text: [thinks], ...call(["shell", { command: "rm -r old" }]) };
}

async function askOnce(window, model) {
  await window.browser.execute(() => {
    window.painted = {};
  });
  await window.write("Delete the old pages.");
  await sleep(2 * QUIET);
  const times = await until("the question", async () => {
    const found = await window.browser.execute(() => window.painted);
    return found.dialog ? found : null;
  });
  const asked = model.sent.at(-1);
  await window.question();
  await window.press("Don't run");
  await ended(window);
  return { asked, drawn: times.dialogDrawn, painted: times.dialog };
}

async function stopOnce(window, model) {
  await window.browser.execute(() => {
    window.painted = {};
  });
  const number = model.bodies.length;
  await window.write("Tell me a story.");
  await until("the story", () =>
    window.browser.execute(
      () => [...document.querySelectorAll("[role=log] article")].at(-1)?.innerText.includes("Once upon") ?? false,
    ),
  );
  await sleep(QUIET);
  await window.keys("Escape");
  await sleep(QUIET);
  const painted = await until("the end", async () => {
    const found = await window.browser.execute(() => window.painted);
    return found.stopped && model.left[number] ? found : null;
  });
  await ended(window);
  return { stream: model.left[number] - painted.escape, shown: painted.stopped - painted.escape };
}

/** Until nothing is under way and words can be sent. */
function ended(window) {
  return until("the end of the turn", async () => !(await window.find("button", "Stop the answer")));
}

/** Runs in the page: notes when something was painted. */
function watch() {
  window.painted = {};
  const words = () => (document.querySelector("[role=log]")?.textContent.match(/You stopped this here/g) ?? []).length;
  let stopped = words();
  const note = (name) => {
    window.painted[name] = 0;
    window.painted[`${name}Drawn`] = Date.now();
    requestAnimationFrame(() => {
      // A task of its own runs once the frame is drawn.
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        window.painted[name] = Date.now();
      };
      port2.postMessage(null);
    });
  };
  new MutationObserver(() => {
    if (window.painted.dialog === undefined && document.querySelector("[role=alertdialog]")) note("dialog");
    const now = words();
    if (now > stopped && window.painted.stopped === undefined) note("stopped");
    stopped = now;
  }).observe(document.body, { childList: true, subtree: true, characterData: true });
  window.addEventListener(
    "keydown",
    (event) => {
      if (event.key === "Escape") window.painted.escape = Date.now();
    },
    true,
  );
}
