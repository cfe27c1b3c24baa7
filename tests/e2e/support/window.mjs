// The window as its user knows it: things are found by what they are and what they are called, never by how they are built.
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "./until.mjs";

export class Window {
  constructor(browser) {
    this.browser = browser;
  }

  /** Keeps a picture of the window in the folder that PLANWRIGHT_E2E_LOOK names, to look at; else does nothing. */
  async look(name) {
    const folder = process.env.PLANWRIGHT_E2E_LOOK;
    if (folder) await this.browser.saveScreenshot(join(folder, `${name}.png`));
  }

  /** Waits until `look` gives something true; gives that. */
  async until(what, look, patience) {
    try {
      return await until(what, look, patience);
    } catch (error) {
      throw new Error(`${error.message} The window says:\n${(await this.text()).slice(0, 4_000)}`);
    }
  }

  /** Everything that is written in the window. */
  text() {
    return this.browser.execute(() => document.body.innerText);
  }

  sees(words, patience) {
    return this.until(`“${words}”`, async () => (await this.text()).includes(words), patience);
  }

  /** The element with a role (or one of the roles) and a name, when it is there and can be seen. */
  async find(roles, name) {
    const found = await this.browser.execute(findByRole, [roles].flat(), name).catch(unlessStale);
    return found ? this.browser.$(found) : null;
  }

  get(roles, name, patience) {
    return this.until(`the ${[roles].flat()[0]} “${name}”`, () => this.find(roles, name), patience);
  }

  /** Presses a button. A page that moves under the pointer makes a press miss: then it is pressed again. */
  press(name, patience) {
    return this.until(
      `the button “${name}” to be pressed`,
      async () => {
        const found = await this.find(["button", "menuitem", "tab"], name);
        if (!(found && (await found.isEnabled().catch(unlessStale)))) return false;
        if (!(await this.browser.executeAsync(rests, found).catch(unlessStale))) return false;
        await found.click().catch(unlessStale);
        // A press that loads the page anew takes its traces with it.
        return this.browser.execute(() => window.pressed?.hit ?? true);
      },
      patience,
    );
  }

  async choose(group, name) {
    const button = await this.get("radio", name);
    await button.click();
    await this.until(`“${name}” to be chosen in ${group}`, async () => (await this.chosen(group)) === name);
  }

  /** Chooses who leads the plan. Until that one is there, the composer's choice is about the next one and its default. */
  async chooseMode(name) {
    await this.until("the plan", async () => (await this.steps()).length > 0);
    await this.choose("Mode", name);
  }

  /** The chosen one of a group of radio buttons. */
  chosen(group) {
    return this.browser.execute(
      (label) =>
        document
          .querySelector(`[role=radiogroup][aria-label="${label}"] [aria-checked=true]`)
          ?.getAttribute("aria-label") ?? null,
      group,
    );
  }

  /** Writes into a field in place of what stands there, as from a clipboard. A field that moves away from the pointer is tried again. */
  fill(name, text) {
    return this.until(`“${name}” to be written in`, async () => {
      const field = await this.find("textbox", name);
      if (!field) return false;
      await field.click().catch(unlessStale);
      return this.browser
        .execute(
          (into, pasted) => {
            if (document.activeElement !== into) return false;
            document.execCommand("selectAll");
            return document.execCommand("insertText", false, pasted);
          },
          field,
          text,
        )
        .catch(unlessStale);
    });
  }

  /** Writes into the composer and sends it with the button of that name. */
  async write(text, send = "Send") {
    await this.fill("Instructions", text);
    await this.press(send);
  }

  /** What is written in the conversation. */
  conversation() {
    return this.browser.execute(() => document.querySelector("[role=log]")?.innerText ?? "");
  }

  /** Pastes a page into the composer and sends it. */
  paste(text) {
    return this.write(text, "Make a plan");
  }

  /** Drags files over the window and drops them, in the words in which the desktop tells the page of it. */
  async drop(...paths) {
    const tell = (event) =>
      this.browser.execute(
        (name, dropped) => {
          const payload = { paths: dropped, position: { x: 400, y: 300 } };
          const target = { kind: "Webview", label: "main" };
          return window.__TAURI_INTERNALS__.invoke("plugin:event|emit_to", { target, event: name, payload });
        },
        event,
        paths,
      );
    await this.until("the window to welcome a drop", async () => {
      await tell("tauri://drag-enter");
      return (await this.text()).includes("Drop to make a plan");
    });
    await tell("tauri://drag-drop");
  }

  keys(...keys) {
    return this.browser.keys(keys);
  }

  /** Presses one key after the other, as a person does. */
  async type(text) {
    for (const key of text) await this.browser.keys(key);
  }

  /** What the focused element is called. */
  focused() {
    return this.browser.execute(() => {
      const focused = document.activeElement;
      return focused?.getAttribute("aria-label") ?? focused?.textContent?.trim() ?? "";
    });
  }

  /** The steps that are on screen: title, state in a word, risk, all of its text. */
  steps() {
    return this.browser.execute(() =>
      [...document.querySelectorAll('ol[aria-label="Steps"] > li')].map((row) => ({
        title: row.querySelector("h3")?.innerText.trim() ?? "",
        state: row.querySelector(".sr-only")?.textContent ?? "",
        text: row.innerText,
      })),
    );
  }

  async step(title) {
    return (await this.steps()).find((step) => step.title.includes(title)) ?? null;
  }

  /** Waits until a step is in a state. */
  stepIs(title, state, patience) {
    return this.until(
      `step “${title}” to be ${state}`,
      async () => {
        const step = await this.step(title);
        return step?.state === state ? step : null;
      },
      patience,
    );
  }

  /** Waits for a question of the approval dialog, until it takes answers; gives its words. */
  async question() {
    const question = await this.until("the question", () => this.dialog());
    // Keys and clicks that were on their way count for nothing.
    await sleep(500);
    return question;
  }

  dialog() {
    return this.browser.execute(
      () => document.querySelector("[role=alertdialog],[role=dialog]")?.innerText ?? null,
    );
  }

  theme() {
    return this.browser.execute(() => ({
      name: document.documentElement.dataset.theme,
      ground: getComputedStyle(document.body).backgroundColor,
    }));
  }
}

/** An element that was drawn anew before the driver had hold of it is not there yet. */
function unlessStale(error) {
  if (error.name === "stale element reference") return null;
  throw error;
}

/**
 * Runs in the page: whether an element stays where it is for two frames. From then on `window.pressed` tells whether the
 * next press hits it.
 */
function rests(element, done) {
  const place = () => {
    const { x, y, width, height } = element.getBoundingClientRect();
    return [element.isConnected, x, y, width, height].join();
  };
  const before = place();
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      if (place() !== before) return done(false);
      window.pressed?.forget();
      const watched = new AbortController();
      const pressed = { hit: false, forget: () => watched.abort() };
      const hits = (event) => element.contains(event.target);
      const options = { capture: true, once: true, signal: watched.signal };
      document.addEventListener("pointerdown", (event) => (pressed.hit = hits(event)), options);
      // What opens a menu does so before the click, which then belongs to whatever the menu makes of the page.
      const opens = element.hasAttribute("aria-haspopup");
      document.addEventListener("click", (event) => (pressed.hit &&= opens || hits(event)), options);
      window.pressed = pressed;
      done(true);
    }),
  );
}

/** Runs in the page. */
function findByRole(roles, name) {
  const tags = {
    button: "button",
    textbox: "textarea,input:not([type]),input[type=text]",
    radio: "input[type=radio]",
    combobox: "select",
  };
  const any = roles.map((role) => [`[role=${role}]`, tags[role]].filter(Boolean).join(",")).join(",");
  const nameOf = (element) =>
    (element.getAttribute("aria-label") ?? (element.labels?.[0] ?? element).innerText ?? "").trim();
  // What stands behind a question cannot be reached.
  const modal = document.querySelector("dialog:modal");
  const shown = (element) =>
    element.checkVisibility() && element.getClientRects().length > 0 && (!modal || modal.contains(element));
  const all = [...document.querySelectorAll(any)].filter(shown);
  // A whole name first; else the first line of what is written on it.
  return (
    all.find((element) => nameOf(element) === name) ??
    all.find((element) => nameOf(element).split("\n")[0].trim() === name) ??
    null
  );
}
