// A test in the real window: a desk, the program on it, a picture when it fails, and everything put away afterwards.
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { App } from "./app.mjs";
import { Desk } from "./desk.mjs";
import { ModelServer } from "./model.mjs";
import { Window } from "./window.mjs";

const PICTURES = fileURLToPath(new URL("../../../test-results", import.meta.url));

/**
 * `body` gets the desk, and `open()` that starts the program and gives its window and the run itself. With a `script` the
 * program is connected to a model that answers so; `body` gets its server too.
 */
export function story(name, body, { timeout = 120_000, script } = {}) {
  test(name, { timeout }, async () => {
    const desk = new Desk();
    const model = script && (await ModelServer.start(script));
    if (model) desk.variables = model.variables();
    let app;
    const open = async () => {
      app = await App.open(desk);
      return { app, window: new Window(app.browser) };
    };
    try {
      await body({ desk, open, model });
      assert.deepEqual(model?.refused ?? [], [], "a provider would have refused a conversation");
    } catch (error) {
      await picture(app, name);
      throw error;
    } finally {
      await app?.close();
      await model?.close();
      desk.clear();
    }
  });
}

async function picture(app, name) {
  if (!app) return;
  mkdirSync(PICTURES, { recursive: true });
  const path = join(PICTURES, `${name.replace(/[^a-z0-9]+/gi, "-").toLowerCase()}.png`);
  try {
    await app.browser.saveScreenshot(path);
    console.error(`A picture of the window: ${path}`);
  } catch {
    // The window is gone; the error itself says what was waited for.
  }
}
