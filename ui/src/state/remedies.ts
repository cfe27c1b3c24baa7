/* Where in the settings an error is put right. Decided by its code, never by its words. */
import type { TextKey } from "@/i18n";
import type { ErrorCode } from "@/ipc/bindings";
import type { SettingsPart } from "./store";

export type Remedy = { label: TextKey; part: SettingsPart };

/** Null where the message says all there is to do. */
export function remedyFor(code: ErrorCode): Remedy | null {
  switch (code) {
    case "no-model":
      return { label: "models.remedy.chooseModel", part: "models" };
    case "key-unusable":
      return { label: "models.remedy.key", part: "models" };
    case "cap-reached":
      return { label: "models.remedy.cap", part: "caps" };
    default:
      return null;
  }
}
