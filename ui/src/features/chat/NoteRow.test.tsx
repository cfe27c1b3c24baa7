import { afterEach, expect, it } from "vitest";
import { page } from "vitest/browser";
import { cleanup, render } from "vitest-browser-react";
import { NoteRow } from "./NoteRow";

afterEach(() => cleanup());

it("says which other way is tried, and how many were", async () => {
  const correction = {
    originalTool: "edit_file",
    originalError: "`old` does not occur.",
    suggestedApproach: "Change several places at once.",
    fallbackTools: ["multi_file_edit"],
  };
  const at = "2026-01-01T00:00:00Z";
  await render(
    <NoteRow entry={{ type: "self-correcting", callId: "a", attempt: 2, correction, at }} latest={true} />,
  );
  await expect.element(page.getByText("Tries another way (2): Change several places at once.")).toBeVisible();
});
