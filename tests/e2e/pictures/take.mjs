// Takes the pictures of the README in the real window, on a page whose failures are real.
import { fileURLToPath } from "node:url";
import { App } from "../support/app.mjs";
import { Desk } from "../support/desk.mjs";
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
rmdir old-build
\`\`\`

## Look at the result

\`\`\`sh
$ ls public/www
index.html
\`\`\`
`;

for (const theme of ["Light", "Dark"]) await take(theme);

async function take(theme) {
  const desk = new Desk();
  const app = await App.open(desk);
  const window = new Window(app.browser);
  const picture = (name) => app.browser.saveScreenshot(`${FOLDER}${name}-${theme.toLowerCase()}.png`);
  try {
    await window.press("Settings");
    await window.choose("Theme", theme);
    await window.press("New session");
    await window.drop(desk.write("home/recipes/PUBLISH.md", PAGE));
    await window.choose("Mode", "Agentic");
    await window.press("Run 7 steps");
    await window.stepIs("Check every link", "running");
    await window.sees("checking lentils");
    await picture("recovery");
    await window.until("the question", async () => (await window.dialog())?.includes("rm -r"), 30_000);
    // The dialog has grown in by then.
    await app.browser.pause(600);
    await picture("approval");
  } finally {
    await app.close();
    desk.clear();
  }
}
