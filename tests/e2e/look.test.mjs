// Light and dark.
import assert from "node:assert/strict";
import { story } from "./support/story.mjs";

story("the theme changes at once and is remembered", async ({ open }) => {
  const first = await open();
  await first.window.press("Settings");
  for (const [choice, name] of [
    ["Dark", "dark"],
    ["Light", "light"],
    ["Dark", "dark"],
  ]) {
    await first.window.choose("Theme", choice);
    await first.window.until(`the theme ${name}`, async () => (await first.window.theme()).name === name);
  }
  const dark = await first.window.theme();
  await first.app.close();

  const second = await open();
  await second.window.until(
    "the dark theme again",
    async () => (await second.window.theme()).name === "dark",
  );
  assert.deepEqual(await second.window.theme(), dark);
});
