import { setTimeout as sleep } from "node:timers/promises";

/** Waits until `look` gives something true, and gives that. `what` is said when it never does; `patience` is in ms. */
export async function until(what, look, patience = 20_000) {
  const last = Date.now() + patience;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > last) throw new Error(`Waited ${patience / 1000} s for ${what}.`);
    await sleep(50);
  }
}
