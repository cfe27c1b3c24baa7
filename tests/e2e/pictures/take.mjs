// Takes the pictures of the README in the real window, on a page whose failures are real.
import { fileURLToPath } from "node:url";
import { App } from "../support/app.mjs";
import { Desk } from "../support/desk.mjs";
import { call, ModelServer, say } from "../support/model.mjs";
import { Window } from "../support/window.mjs";

const FOLDER = fileURLToPath(new URL("../../../docs/screenshots/", import.meta.url));

const PAGE = `# Publish the recipe site

Builds the site from the recipes, publishes it, and clears the old build away.

## Gather the recipes

\`\`\`sh
mkdir -p recipes && echo 'Oats, apple, cinnamon.' > recipes/porridge.txt
\`\`\`

## Build the page

\`\`\`sh
for recipe in recipes/*.txt; do echo "<p>$(cat "$recipe")</p>"; done > index.html
\`\`\`

## Publish it

\`\`\`sh
cp index.html public/www/index.html
\`\`\`

## Check every link

\`\`\`sh
for page in home porridge lentils crumble; do echo "checking $page … fine"; sleep 1.2; done
\`\`\`

## Keep yesterday's build until now

\`\`\`sh
mkdir old-build && echo 'made yesterday' > old-build/index.html
\`\`\`

## Clear the old build away

\`\`\`sh
find old-build -delet
\`\`\`

## Look at the result

\`\`\`sh
$ ls public/www
index.html
\`\`\`
`;

const SHOP = `def total(prices):
    sum = 0
    for price in prices:
        sum = sum + price
    return sum
`;

const FINDINGS = `The loop adds up right, but two things stand out:

| line | what | why it matters |
|---|---|---|
| 2 | \`sum\` is Python's own name | the built-in is out of reach below |
| 3 | a loop by hand | \`sum(prices)\` does the same |

\`\`\`python
def total(prices):
    return sum(prices)
\`\`\`

Shall I change it?`;

/** Looks, then says what it found. */
const answers = [
  call(
    ["list_dir", { path: "." }],
    ["read_file", { path: "shop.py" }],
    ["shell", { command: "python3 shop.py" }],
  ),
  say(FINDINGS),
];

for (const theme of ["Light", "Dark"]) {
  await photograph(theme, plan);
  const model = await ModelServer.start((number) => answers[number] ?? say("Done."));
  await photograph(theme, conversation, { ...model.variables(), PLANWRIGHT_MODEL: "a-model" });
  await model.close();
}

async function photograph(theme, scene, variables = {}) {
  const desk = new Desk();
  desk.variables = variables;
  const app = await App.open(desk);
  const window = new Window(app.browser);
  const picture = (name) => app.browser.saveScreenshot(`${FOLDER}${name}-${theme.toLowerCase()}.png`);
  try {
    await window.press("Settings");
    await window.choose("Theme", theme);
    await window.press("New session");
    await scene({ desk, app, window, picture });
  } finally {
    await app.close();
    desk.clear();
  }
}

async function conversation({ desk, window, picture, app }) {
  desk.write("home/shop.py", SHOP);
  await window.write("Is shop.py right, and could it be shorter?");
  await window.sees("Shall I change it?");
  await app.browser.pause(600);
  await picture("conversation");
}

async function plan({ desk, app, window, picture }) {
  await window.drop(desk.write("home/recipes/PUBLISH.md", PAGE));
  await window.chooseMode("Agentic");
  await window.press("Run 7 steps");
  await window.stepIs("Check every link", "running");
  await window.sees("checking lentils");
  await picture("recovery");
  await window.until("the question", async () => (await window.dialog())?.includes("find old"), 30_000);
  // The dialog has grown in by then.
  await app.browser.pause(600);
  await picture("approval");
}
