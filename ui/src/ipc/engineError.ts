import type { EngineError, ErrorCode } from "./bindings";

export function engineError(code: ErrorCode, message: string): EngineError {
  return { code, message };
}
