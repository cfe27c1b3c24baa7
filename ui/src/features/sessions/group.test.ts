import { expect, it } from "vitest";
import { olderSessions } from "@/ipc/demo/photoServer";
import { dayOf, groupByDay, standing } from "./group";

const now = new Date(2026, 2, 10, 0, 30);

it("goes by the calendar, not by hours", () => {
  expect(dayOf(new Date(2026, 2, 10, 0, 1).toISOString(), now)).toBe("today");
  expect(dayOf(new Date(2026, 2, 9, 23, 59).toISOString(), now)).toBe("yesterday");
  expect(dayOf(new Date(2026, 2, 8, 23, 59).toISOString(), now)).toBe("earlier");
});

it("groups newest first and leaves out empty days", () => {
  const noon = new Date(2026, 2, 10, 12);
  const groups = groupByDay(olderSessions(noon.getTime()).reverse(), noon);
  expect(groups.map((group) => [group.day, group.sessions.map((session) => session.id)])).toEqual([
    ["today", ["demo-disk", "demo-packages"]],
    ["yesterday", ["demo-rename", "demo-upgrade"]],
  ]);
});

it("says how a session stands", () => {
  expect(olderSessions(0).map(standing)).toEqual([
    "done · 12 steps",
    "done · 2 repairs",
    "done · 4 steps",
    "failed at step 6",
  ]);
});
