import { describe, expect, it } from "vitest";
import { ForecastStore, MAX_FORECASTS } from "./forecasts";

describe("forecasts", () => {
  it("tell their listeners, and keep the newest", () => {
    const store = new ForecastStore();
    let told = 0;
    const stop = store.subscribe(() => {
      told += 1;
    });
    store.note("a", { type: "running" });
    store.note("a", { type: "unavailable", why: "No sandbox here." });
    stop();
    store.note("b", { type: "running" });
    expect(told).toBe(2);
    expect(store.get("a")).toEqual({ type: "unavailable", why: "No sandbox here." });
    store.forget("a");
    expect(store.get("a")).toBeNull();
  });

  it("are bounded", () => {
    const store = new ForecastStore();
    for (let at = 0; at <= MAX_FORECASTS; at += 1) store.note(String(at), { type: "running" });
    expect(store.get("0")).toBeNull();
    expect(store.get(String(MAX_FORECASTS))).toEqual({ type: "running" });
  });
});
