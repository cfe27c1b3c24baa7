// How quick the real window is: its start, a plan of 10 000 steps, and its frames while a command floods it with output.
// Prints medians and 99th percentiles beside what is wanted.
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { App, PROGRAM } from "../e2e/support/app.mjs";
import { Desk } from "../e2e/support/desk.mjs";
import { until } from "../e2e/support/until.mjs";
import { Window } from "../e2e/support/window.mjs";
import { median, print } from "./figures.mjs";

const STARTS = 6;
const STEPS = 10_000;
/** What drawing costs by itself. */
const FEW_STEPS = 40;
const REVISIONS = 20;
const FLOODS = [
  // What starting and ending a step costs by itself.
  ["one line, to compare", "sleep 2; echo one"],
  ["1 GB of `yes`", "yes | head -c 1000000000"],
  ["a line of 200 MB", "head -c 200000000 /dev/zero | tr '\\0' a"],
  ["1 million short lines", "seq 1000000"],
  ["200 MB of raw bytes", "head -c 200000000 /dev/urandom"],
];

await main();

async function main() {
  console.log(PROGRAM);
  const desk = new Desk();
  try {
    print("start → first words painted", await starts(desk), 1200);
    const app = await App.open(desk);
    try {
      const window = new Window(app.browser);
      await window.sees("What should get done?");
      await app.browser.execute(watch);
      const few = await plan(desk, window, FEW_STEPS);
      const many = await plan(desk, window, STEPS);
      const ratio = (name) => (median(many[name]) / median(few[name])).toFixed(1);
      console.log(`    against ${FEW_STEPS} steps: opening ×${ratio("opened")}, moving ×${ratio("moved")}`);
      for (const [name, command] of FLOODS) await flood(desk, window, name, command);
    } finally {
      await app.close();
    }
  } finally {
    desk.clear();
  }
}

/** From the start of the process, as the kernel has it (10 ms), to the first frame with words in it. */
async function starts(desk) {
  const times = [];
  for (let time = 0; time < STARTS; time += 1) {
    const app = await App.open(desk);
    try {
      await new Window(app.browser).sees("What should get done?");
      // The words are in the document a moment before they are on the screen.
      const painted = await until("the first paint", () =>
        app.browser.execute(() => {
          const [first] = performance.getEntriesByName("first-contentful-paint");
          return first && performance.timeOrigin + first.startTime;
        }),
      );
      times.push(painted - startOf(app.pid()));
    } finally {
      await app.close();
    }
  }
  return times;
}

/** When a process began, in milliseconds since 1970. */
function startOf(pid) {
  const ticks = Number(readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1).split(" ")[19]);
  const up = Number(readFileSync("/proc/uptime", "utf8").split(" ")[0]);
  return Date.now() - (up - ticks / 100) * 1000;
}

/** Opening a plan from the list of sessions, and changing it: from the press to the painted frame. */
async function plan(desk, window, count) {
  const title = `A plan of ${count}`;
  const steps = Array.from({ length: count }, (_, at) => ({ title: `Say ${at}`, command: `echo ${at}` }));
  await window.drop(desk.write("work/plan.json", JSON.stringify({ title, steps })));
  await window.get("button", `Run ${count} steps`, 60_000);
  const opened = [];
  for (let time = 0; time <= REVISIONS; time += 1) {
    await window.press("New session");
    await window.sees("What should get done?");
    await sleep(500);
    opened.push(await timed(window, "open", title));
  }
  print(`a plan of ${count} steps: pressed → painted`, opened, 300);
  const moved = [];
  for (let time = 0; time <= REVISIONS; time += 1) {
    await sleep(300);
    moved.push(await timed(window, "move", title));
  }
  print("    a step of it moved: asked → painted", moved, 50);
  return { opened, moved };
}

function timed(window, what, title) {
  return window.browser.executeAsync((name, of, done) => window.bench[name](of, done), what, title);
}

/** Every gap between two frames from the start of the run to its end. */
async function flood(desk, window, name, command) {
  const title = name.replaceAll("`", "");
  await window.press("New session");
  await window.drop(desk.write("work/flood.json", JSON.stringify({ title, steps: [{ title, command }] })));
  await window.get("button", "Run 1 step");
  await sleep(1000);
  await window.browser.execute(() => window.bench.frames());
  await window.press("Run 1 step");
  // Asked seldom and for little: the driver works in the page too.
  while (!(await window.browser.execute(() => document.body.textContent.includes("1 step ran in"))))
    await sleep(1000);
  const gaps = await window.browser.execute(() => window.bench.gaps);
  const longest = Math.max(...gaps);
  const at = gaps.slice(0, gaps.indexOf(longest)).reduce((sum, gap) => sum + gap, 0);
  const long = gaps.filter((gap) => gap >= 100).length;
  print(`${name}: gaps between ${gaps.length} frames`, gaps);
  console.log(
    `    longest ${Math.round(longest)} ms, ${(at / 1000).toFixed(1)} s from the start; ${long} of 100 ms or more (wanted: none)`,
  );
}

/** Runs in the page. */
function watch() {
  const first = () => document.querySelector('ol[aria-label="Steps"] > li h3')?.textContent;
  /** Does something, waits until the first step is another, and tells how long it took until that was on the screen. */
  const until = (act, done) => {
    const before = first();
    const start = performance.now();
    const watcher = new MutationObserver(() => {
      if (first() === undefined || first() === before) return;
      watcher.disconnect();
      requestAnimationFrame(() => {
        // A task of its own runs once the frame is drawn.
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => done(performance.now() - start);
        port2.postMessage(null);
      });
    });
    watcher.observe(document.body, { childList: true, subtree: true, characterData: true });
    act();
  };
  const invoke = window.__TAURI_INTERNALS__.invoke;
  window.bench = {
    gaps: [],
    open: (title, done) =>
      until(() => {
        const rows = [...document.querySelectorAll("nav button, aside button")];
        rows.find((row) => row.textContent.includes(title)).click();
      }, done),
    move: async (title, done) => {
      const sessions = await invoke("list_sessions");
      const sessionId = sessions.find((one) => one.title === title).id;
      const row = document.querySelector('ol[aria-label="Steps"] > li');
      until(
        () => invoke("submit", { sessionId, command: { type: "move-step", stepId: row.dataset.step, to: 5 } }),
        done,
      );
    },
    frames() {
      window.bench.gaps = [];
      const run = {};
      window.bench.run = run;
      let last = performance.now();
      const frame = (now) => {
        if (window.bench.run !== run) return;
        window.bench.gaps.push(now - last);
        last = now;
        requestAnimationFrame(frame);
      };
      requestAnimationFrame(frame);
    },
  };
}
