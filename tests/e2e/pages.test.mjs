// A page as people write them, in the real window: three systems, a file, two placeholders of which one is a secret, something
// only a person can do, a server, and how to uninstall it all.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { door, say, wantsPlan } from "./support/model.mjs";
import { holding, holds } from "./support/search.mjs";
import { story } from "./support/story.mjs";

const SECRET = "k3y of 'mine' \"$(touch pwned)\" 42";

const PAGE = `# Notes server

Share notes on your own network.

## Install

### Debian and Ubuntu

\`\`\`sh
echo debian > way
\`\`\`

### Fedora

\`\`\`sh
echo fedora > way
\`\`\`

### macOS

\`\`\`sh
echo mac > way
\`\`\`

## Configure

Create \`notes.conf\`:

\`\`\`ini
domain = <your-domain>
token = <your-api-token>
\`\`\`

\`\`\`sh
export NOTES_TOKEN=<your-api-token>
\`\`\`

Log out and log in again, so that your groups are read.

## Run

Start the server:

\`\`\`sh
python3 -m http.server 8931
\`\`\`

Look at it:

\`\`\`sh
mkdri kept
curl -fsS http://localhost:8931/notes.conf | grep -c domain > seen
printf '%s' "$NOTES_TOKEN" | wc -c > length
\`\`\`

## Uninstall

\`\`\`sh
rm -rf notes.conf way
\`\`\`
`;

story(
  "a page is filled in and runs to its end in Agentic, and its secret stands nowhere",
  async ({ desk, open }) => {
    const { app, window } = await open();
    await window.drop(desk.write("work/notes.md", PAGE));
    await window.chooseMode("Agentic");
    await window.sees("Fedora");
    await window.look("page-card");
    const domain = await window.get("textbox", "Your domain");
    await domain.setValue("notes.example.org");
    const token = app.browser.$("input[type=password]");
    await token.setValue(SECRET);
    await window.keys("Tab");
    await window.sees("notes.example.org");
    await window.look("page-filled");
    await window.press("Run 8 steps");

    const turn = await window.stepIs("Log out and log in again, so that your groups are read", "your turn");
    assert.match(turn.text, /by hand/);
    await window.look("page-by-hand");
    assert.ok(!existsSync(join(desk.work, "seen")), "nothing behind it has run");
    await window.press("Done");
    await window.sees("8 of 8", 60_000);
    await window.look("page-done");

    assert.equal(desk.read("work/seen"), "1\n");
    assert.equal(Number(desk.read("work/length")), SECRET.length);
    assert.match(desk.read("work/way"), /debian/);
    assert.ok(!existsSync(join(desk.work, "pwned")), "a value is never syntax");
    assert.ok(existsSync(join(desk.work, "notes.conf")), "nothing is uninstalled");
    assert.ok(!holds(await window.text(), SECRET));

    // The page as the run was mended.
    await window.press("Mend the page…");
    await window.sees("mkdir kept");
    await window.look("page-mend");
    await window.press("Write it");
    await window.sees("The page was mended: 1 command.");
    assert.equal(desk.read("work/notes.md"), PAGE.replace("mkdri", "mkdir"));

    // Beside its plan each finds the other.
    await window.press("Show the page beside the plan");
    await window.press("Step 1, run: Debian and Ubuntu. Show it in the plan.");
    await window.sees("another system");
    await window.look("page-beside");
    await window.press("Back to the conversation");

    await window.press("Stop Start the server");
    assert.deepEqual(holding(desk.data, SECRET).found, []);
  },
);

const HEATING = `# Heating

Get it:

\`\`\`sh
echo got > got
\`\`\`

Tell its box:

\`\`\`sh
echo on > box.lan
\`\`\`

Once the winter is over:

\`\`\`sh
echo off > box.lan
\`\`\`

## Uninstall

\`\`\`sh
rm got
\`\`\`
`;

const thought = door();

story(
  "a page is sorted by the model at a word, and the user has the last one",
  async ({ desk, open, model }) => {
    const { window } = await open();
    await window.drop(desk.write("work/heating.md", HEATING));
    await window.sees("Run 3 steps");
    await window.press("Have scripted sort the page (price unknown)");
    await window.sees("It can only sort and name what stands there");
    await window.look("page-sort-price");
    await window.press("Ask scripted");
    await window.sees("scripted is sorting the page…");
    await window.look("page-sorting");
    thought.open();
    await window.sees("scripted sorted the page: 1 left out, 1 to fill in.");
    await window.sees("2 left out: 2 beside the way");
    await window.look("page-sorted");
    assert.match(model.question(0), /\[\[3\]\] echo off/);
    const box = await window.get("textbox", "The box of the heating");
    await box.setValue("cellar");
    await window.keys("Tab");
    await window.press("Run 2 steps");
    await window.sees("2 of 2");
    assert.equal(desk.read("work/cellar"), "on\n");
  },
  {
    script: (_number, body) => {
      assert.ok(wantsPlan(body));
      const answer = {
        blocks: [
          { n: 1, role: "run", why: "Get it" },
          { n: 2, role: "run", why: "Tell its box" },
          { n: 3, role: "aside", why: "Once the winter is over" },
          { n: 4, role: "aside", why: "Uninstall" },
        ],
        choices: [],
        inputs: [{ n: 2, text: "box.lan", label: "The box of the heating" }],
      };
      return say([thought.wait, JSON.stringify(answer)]);
    },
  },
);
