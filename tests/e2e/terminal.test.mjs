// Programs that want a keyboard, in a terminal in the real window: offered, typed into, left by keyboard, and brought back
// when the page is loaded again.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { holding } from "./support/search.mjs";
import { story } from "./support/story.mjs";

const plan = (title, ...commands) =>
  JSON.stringify({ title, steps: commands.map((command) => ({ title: command, command })) });

/** What is on the terminal of the window. */
const shown = (window) =>
  window.browser.execute(() =>
    [...document.querySelectorAll("[data-terminal] .xterm-rows > div")]
      .map((row) => row.textContent)
      .join("\n"),
  );

const shows = (window, words) =>
  window.until(`“${words}” on the terminal`, async () => (await shown(window)).includes(words), 30_000);

/** Answers the question with the terminal; nothing is taken in its first moment. */
async function runInTerminal(window) {
  await window.sees("Run in a terminal");
  await new Promise((done) => setTimeout(done, 600));
  await window.press("Run in a terminal");
}

story("nano is offered a terminal, typed into, and what it wrote is there", async ({ desk, open }) => {
  const { window } = await open();
  await window.drop(
    desk.write("work/notes.json", plan("Write a note", "nano note.txt", "cat note.txt > seen.txt")),
  );
  await window.press("Run 2 steps");
  await runInTerminal(window);
  await shows(window, "GNU nano");
  await window.look("terminal-nano-light");
  assert.equal(await window.focused(), "Terminal: nano note.txt", "the keys go to the program");
  await window.type("Written here");
  await shows(window, "Written here");

  await window.keys("Control", "Shift", "Escape");
  await window.until(
    "the keys to be the window's again",
    async () => (await window.focused()) === "End program",
  );

  await window.browser.refresh();
  await window.press("Write a note");
  await shows(window, "Written here");
  await window.look("terminal-nano-again");
  await window.until("the terminal to have the keys", async () => {
    if ((await window.focused()) === "Terminal: nano note.txt") return true;
    const card = await window.browser.$("[data-terminal] .xterm-screen");
    await card.click();
    return false;
  });
  await window.keys("Control", "o");
  await shows(window, "File Name to Write");
  await window.keys("Enter");
  await shows(window, "Wrote 1 line");
  await window.keys("Control", "x");
  await window.sees("2 of 2");
  assert.equal(desk.read("work/seen.txt"), "Written here\n");
});

story("git add -p is no success without a terminal, and asks in one", async ({ desk, open }) => {
  const make =
    "git init -q && echo a > f && git add f && git -c user.name=a -c user.email=a@b commit -qm x && echo b > f";
  const { window } = await open();
  await window.drop(desk.write("work/stage.json", plan("Stage it", make, "git add -p")));
  await window.press("Run 2 steps");
  await window.sees("nobody was there to answer");
  await window.press("Run in a terminal…");
  await runInTerminal(window);
  await shows(window, "Stage this hunk");
  await window.type("y");
  await window.keys("Enter");
  // Until then its row is open by itself.
  await window.sees("2 steps ran in");
  await window.press("git add -p");
  await window.sees("Ended. This is what stood there last.");
  await window.look("terminal-ended");
  const staged = spawnSync("git", ["diff", "--cached", "--name-only"], { cwd: desk.work, encoding: "utf8" });
  assert.equal(staged.stdout, "f\n");
});

story(
  "a flood on a terminal freezes nothing and is ended, and what is typed unseen is nowhere",
  async ({ desk, open }) => {
    const { window } = await open();
    await window.press("Settings");
    await window.choose("Theme", "Dark");
    await window.press("New session");
    await window.drop(desk.write("work/flood.json", plan("Flood", "bash --norc")));
    await window.press("Run 1 step");
    await runInTerminal(window);
    await shows(window, "bash");
    const type = async (text) => {
      await window.type(text);
      await window.keys("Enter");
    };
    await type(`read -rsp 'Word: ' word; yes "a line with $(printf %s $word | wc -c) letters"`);
    await shows(window, "Word: ");
    await type("unseen-word-77");
    await shows(window, "a line with 14 letters");
    await window.browser.execute(() => {
      window.gaps = [];
      let last = performance.now();
      const frame = (now) => {
        window.gaps.push(now - last);
        last = now;
        requestAnimationFrame(frame);
      };
      requestAnimationFrame(frame);
    });
    await new Promise((done) => setTimeout(done, 4_000));
    const gaps = await window.browser.execute(() => window.gaps);
    console.log(`frames under a flood: ${gaps.length}, longest gap ${Math.round(Math.max(...gaps))} ms`);
    // The machine may be busy with other things; a frozen window shows nothing for seconds.
    assert.ok(Math.max(...gaps) < 1_500, `a frame took ${Math.max(...gaps)} ms`);
    await window.look("terminal-flood-dark");
    await window.press("End program");
    // By the signal, or bash heard it and says so with its status.
    await window.until("the program to have ended", async () => /SIGHUP|exit 129/.test(await window.text()));
    await window.until(
      "every process to be gone",
      async () => !desk.processes().some((pid) => isOf(pid, "yes")),
    );
    const { found, looked } = holding(desk.folder, "unseen-word-77");
    assert.deepEqual(found, []);
    assert.ok(looked > 0);
  },
);

function isOf(pid, name) {
  return spawnSync("ps", ["-o", "comm=", "-p", String(pid)], { encoding: "utf8" }).stdout.trim() === name;
}
