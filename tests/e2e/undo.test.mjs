// Taking back what was done to files: seen first, done exactly, and itself taken back.
import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { call, say } from "./support/model.mjs";
import { story } from "./support/story.mjs";

const PAGE = `# Sort the garden notes

Puts the notes beside the pages.

## Write the list anew

\`\`\`sh
echo 'peas, beans' > list.txt
\`\`\`

## Make the page

\`\`\`sh
mkdir -p pages && echo '<h1>Peas</h1>' > pages/peas.html && echo 'sow in May' > tips.txt
\`\`\`

## Move the notes

\`\`\`sh
mv notes.txt pages/notes.txt
\`\`\`

## Ask the weather

\`\`\`sh
curl -fsS -X POST http://127.0.0.1:9/ || true
\`\`\`

## Look

\`\`\`sh
ls -R
\`\`\`
`;

/** The contents of everything in the trash folders of the data folder. */
function trashed(desk) {
  const root = join(desk.data, "checkpoints");
  return readdirSync(root, { recursive: true })
    .filter((name) => name.includes("/trash/"))
    .map((name) => join(root, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, "utf8"));
}

const gone = (window) => window.until("the dialog to close", async () => (await window.dialog()) === null);

story("a run is taken back through its preview, and the undo is taken back too", async ({ desk, open }) => {
  desk.write("work/list.txt", "only peas\n");
  desk.write("work/notes.txt", "water them\n");
  const { window } = await open();
  await window.sees("What should get done?");
  await window.drop(desk.write("work/GARDEN.md", PAGE));
  await window.get("button", "Run 5 steps");
  await window.sees("Can be undone");
  await window.look("undo-draft");
  await window.press("Run 5 steps");
  await window.get("button", "Undo this run");
  await window.sees("3 steps can be undone");
  assert.equal(desk.read("work/list.txt"), "peas, beans\n");
  assert.equal(desk.read("work/pages/notes.txt"), "water them\n");
  await window.look("undo-ended");

  // Meanwhile somebody goes on by hand.
  desk.write("work/list.txt", "peas, beans, and what I like\n");
  desk.write("work/pages/mine.html", "<h1>Mine</h1>\n");
  await window.press("Undo this run");
  const preview = await window.until("the preview", async () => {
    const text = await window.dialog();
    return text?.includes("Brought back") ? text : null;
  });
  await window.look("undo-preview");
  assert.match(preview, /1 file is no longer as it was left/);
  assert.match(preview, /list\.txt/);
  assert.match(preview, /It has changed since\./);
  assert.match(preview, /Stays where it is\s+pages\s+Something else is in it\./);
  assert.match(preview, /Brought back\s+1 file\s+notes\.txt/);
  assert.match(
    preview,
    /Moved to the trash folder\s+3 files\s+pages\/notes\.txt\s+pages\/peas\.html\s+tips\.txt/,
  );
  assert.match(preview, /4 · .*not kept: what it does over the network/);
  assert.equal(desk.has("work/notes.txt"), false, "looking changes nothing");

  // A file changes while the preview is open: what is shown is shown anew before anything is done.
  desk.write("work/pages/peas.html", "<h1>My peas</h1>\n");
  await window.press("Undo 4 changes");
  await window.sees("The files have changed since. This is how things stand now.");
  await window.look("undo-moved");
  assert.equal(desk.has("work/notes.txt"), false);
  await window.press("Undo 3 changes");
  await gone(window);

  await window.sees("1 file brought back, 2 moved to the trash, 3 left alone.");
  await window.look("undo-done");
  assert.equal(desk.read("work/list.txt"), "peas, beans, and what I like\n");
  assert.equal(desk.read("work/pages/mine.html"), "<h1>Mine</h1>\n");
  assert.equal(desk.read("work/pages/peas.html"), "<h1>My peas</h1>\n");
  assert.equal(desk.read("work/notes.txt"), "water them\n");
  assert.equal(desk.has("work/pages/notes.txt"), false);
  assert.equal(desk.has("work/tips.txt"), false);
  assert.ok(trashed(desk).includes("sow in May\n"), "what was made is in the trash folder");

  // The undo is taken back.
  await window.press("Undo this");
  await window.sees("Take back the undo");
  await window.press("Undo 3 changes");
  await gone(window);
  assert.equal(desk.has("work/notes.txt"), false);
  assert.equal(desk.read("work/pages/notes.txt"), "water them\n");
  assert.equal(desk.read("work/tips.txt"), "sow in May\n");
  assert.equal(desk.read("work/pages/peas.html"), "<h1>My peas</h1>\n");
  await window.sees("An undo was taken back");

  // One step, and what was written since all the same.
  const step = await window.get("button", "Write the list anew");
  await step.click();
  await window.press("Undo this step");
  await window.sees("1 file is no longer as it was left");
  await window.get("button", "Nothing chosen");
  await (await window.get("radio", "Put the old one back")).click();
  await window.look("undo-step");
  await window.press("Undo 1 change");
  await gone(window);
  assert.equal(desk.read("work/list.txt"), "only peas\n");
  assert.ok(trashed(desk).includes("peas, beans, and what I like\n"), "mine is in the trash folder");
  await window.until("the step to say so", async () =>
    (await window.step("Write the list")).text.includes("undone"),
  );
});

const ROLLBACK = JSON.stringify({
  title: "Change the settings",
  onFailure: "rollback",
  steps: [
    { id: "keep", title: "Write a note", command: "echo note > note.txt" },
    { id: "half", title: "Change both", command: "echo port=9 > a.conf; echo port=9 > b.conf; exit 3" },
  ],
});

story("a rollback says at the end what it put back, also after a restart", async ({ desk, open }) => {
  desk.write("work/a.conf", "port=1\n");
  const first = await open();
  await first.window.sees("What should get done?");
  await first.window.drop(desk.write("work/plan.json", ROLLBACK));
  await first.window.press("Run 2 steps");
  await first.window.sees("Put back: a.conf, b.conf.");
  await first.window.look("undo-rollback");
  assert.equal(desk.read("work/a.conf"), "port=1\n");
  assert.equal(desk.has("work/b.conf"), false);
  assert.equal(desk.read("work/note.txt"), "note\n");
  await first.app.close();

  const { window } = await open();
  await window.press("Change the settings");
  await window.sees("Put back: a.conf, b.conf.");
  await window.press("Undo this");
  await window.press("Undo 2 changes");
  await gone(window);
  assert.equal(desk.read("work/a.conf"), "port=9\n");
  assert.equal(desk.read("work/b.conf"), "port=9\n");
});

story(
  "an edit of a conversation is taken back from its card",
  async ({ desk, open }) => {
    desk.write("home/notes.txt", "peas: green\nbeans: green\n");
    const { window } = await open();
    await window.sees("What should get done?");
    await window.keys("Alt", "2");
    await window.get("button", "What to do with it: Chat");
    await window.write("The peas are ripe. Note it.");
    await window.question();
    await window.press("Run once");
    await window.sees("It is noted.");
    assert.equal(desk.read("home/notes.txt"), "peas: ripe\nbeans: green\n");
    await window.press("Undo this");
    await window.sees("Put back as it was");
    await window.look("undo-call");
    await window.press("Undo 1 change");
    await gone(window);
    await window.sees("1 file put back");
    assert.equal(desk.read("home/notes.txt"), "peas: green\nbeans: green\n");
    await window.get("button", "Put it back again");
    await window.look("undo-call-done");
  },
  {
    script: (number) =>
      number === 0
        ? call(["edit_file", { path: "notes.txt", old: "peas: green", new: "peas: ripe" }])
        : say("It is noted."),
  },
);
