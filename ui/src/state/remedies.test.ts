import { describe, expect, it } from "vitest";
import { t } from "@/i18n";
import { remedyFor } from "./remedies";

describe("where an error is put right", () => {
  it("leads to the part of the settings that belongs to it", () => {
    expect(remedyFor("cap-reached")?.part).toBe("caps");
    expect(remedyFor("no-model")?.part).toBe("models");
    expect(remedyFor("key-unusable")?.part).toBe("models");
    expect(remedyFor("disk-full")).toBeNull();
  });

  it("has words for the way", () => {
    const remedy = remedyFor("cap-reached");
    expect(remedy && t(remedy.label)).toBe("Change limits");
  });
});
