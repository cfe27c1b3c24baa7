/* What is foretold of the open questions. A stream, not state: it is never journalled, and it redraws one panel of the dialog
   and nothing else. Bounded: the one heard of least recently goes first. */
import { useCallback, useEffect, useSyncExternalStore } from "react";
import type { ApprovalId, Forecast } from "@/ipc/bindings";
import { useHost } from "@/ipc/host";

/** Questions whose forecast is kept. */
export const MAX_FORECASTS = 24;

export class ForecastStore {
  readonly #kept = new Map<ApprovalId, Forecast>();
  readonly #listeners = new Set<() => void>();

  note(id: ApprovalId, forecast: Forecast): void {
    this.#kept.delete(id);
    this.#kept.set(id, forecast);
    if (this.#kept.size > MAX_FORECASTS) {
      const oldest = this.#kept.keys().next().value;
      if (oldest !== undefined) this.#kept.delete(oldest);
    }
    for (const listener of this.#listeners) listener();
  }

  get(id: ApprovalId): Forecast | null {
    return this.#kept.get(id) ?? null;
  }

  forget(id: ApprovalId): void {
    this.#kept.delete(id);
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
}

export const forecasts = new ForecastStore();

/** The forecast of an open question, also when it began before this window listened; null while there is none. */
export function useForecast(id: ApprovalId): Forecast | null {
  const host = useHost();
  const forecast = useSyncExternalStore(
    forecasts.subscribe,
    useCallback(() => forecasts.get(id), [id]),
  );
  useEffect(() => {
    if (forecasts.get(id)) return;
    let live = true;
    host.forecast(id).then(
      (found) => {
        // An update that came meanwhile is newer.
        if (live && found && !forecasts.get(id)) forecasts.note(id, found);
      },
      // Without a forecast the question is answered as ever.
      () => undefined,
    );
    return () => {
      live = false;
    };
  }, [id, host]);
  return forecast;
}
