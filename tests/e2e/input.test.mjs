// Bad input: each gets a message that says what to do, and the window goes on working.
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { story } from "./support/story.mjs";

const step = (id, dependsOn) => ({ id, title: `Step ${id}`, command: `echo ${id}`, dependsOn });

const WISH = "## A wish\n\nPlease make everything nice.";

const GOOD = "# Good\n\n```sh\necho good > good.txt\n```\n";

/** The window is usable: another page becomes a plan and runs. */
async function stillWorks(window, desk) {
  await window.press("New session");
  await window.drop(desk.write("work/good.md", GOOD));
  await window.press("Run 1 step");
  await window.sees("1 of 1");
  assert.equal(desk.read("work/good.txt"), "good\n");
}

story("a page without commands is kept and explained", async ({ desk, open }) => {
  const { window } = await open();
  await window.paste(WISH);
  await window.sees("There is no command in this.");
  const box = await window.get("textbox", "Instructions");
  assert.equal(await box.getValue(), WISH);
  await stillWorks(window, desk);
});

story("a code block that is never closed is read to its end", async ({ open }) => {
  const { window } = await open();
  await window.paste("# Open end\n\n```sh\necho hello\n");
  await window.sees("echo hello");
  await window.get("button", "Run 1 step");
});

story("a plan with a circle is refused with the steps in it", async ({ desk, open }) => {
  const { window } = await open();
  const plan = { title: "Round", steps: [step("one", ["two"]), step("two", ["one"])] };
  await window.drop(desk.write("work/plan.json", JSON.stringify(plan)));
  await window.until("the message", async () => /circle|cycle|each other/i.test(await window.text()));
  await stillWorks(window, desk);
});

story("binary bytes and a missing file are refused", async ({ desk, open }) => {
  const { window } = await open();
  await window.drop(desk.write("work/picture.md", "\u0000\u0001\u0002 # not text"));
  await window.sees("This is not a text file.");
  await window.drop(`${desk.work}/nowhere.md`);
  await window.sees("cannot be read");
  await stillWorks(window, desk);
});

story("a folder that is gone fails the run with a message", async ({ desk, open }) => {
  const { window } = await open();
  const folder = desk.make("gone");
  await window.drop(desk.write("gone/page.md", GOOD));
  await window.get("button", "Run 1 step");
  rmSync(folder, { recursive: true });
  await window.press("Run 1 step");
  await window.until(
    "the message",
    async () =>
      (await window.text()).includes(folder) &&
      /gone|missing|not exist|cannot be used|no longer/i.test(await window.text()),
  );
  await stillWorks(window, desk);
});

story("a data folder that cannot be used is said, and mended without a restart", async ({ desk, open }) => {
  // A file in the folder's place: also root cannot make a folder of it.
  desk.write("data", "in the way");
  const { window } = await open();
  await window.until("the message", async () => (await window.text()).includes(desk.data));
  rmSync(desk.data);
  await window.press("Try again");
  await stillWorks(window, desk);
});
