/* What the window asks about models and keys, as the engine's `protocol/model.rs` writes it. By hand until the generated
   bindings hold the same types: then this file goes and the imports name `bindings`. */
import type { ProviderKind, ToolSupport } from "./bindings";

/** What "test connection" found out. A failure is a result here, not an error. */
export type ConnectionReport = {
  ok: boolean;
  /** The code of the model's error ("rejected-key", "network" …); null when it works. */
  code: string | null;
  /** What was found, or exactly what is wrong and what to do. */
  message: string;
  /** The server's models; empty when it does not say. */
  models: string[];
  /** The model that answered. */
  model: string | null;
  tools: ToolSupport | null;
  /** Whether its answers can be held to a JSON schema. */
  schema: boolean | null;
  contextTokens: number | null;
  /** Until the first token of the answer. */
  firstTokenMillis: number | null;
};

/** Where a provider's key is. `memory`: until the program ends. */
export type KeyPlace = "none" | "keyring" | "memory" | "environment";

export type KeyStatus = {
  provider: ProviderKind;
  place: KeyPlace;
  /** Why it is not in the keyring, for people. */
  note: string | null;
};

/** A server found on this machine. */
export type FoundServer = { baseUrl: string; models: string[] };

/** What asking the stronger model about the present failure would take. */
export type EscalationEstimate = {
  model: string;
  inputTokens: number;
  /** Of an answer of a usual length. */
  outputTokens: number;
  /** Millionths of a US dollar; null when the model's price is not known. */
  costMicros: number | null;
};
