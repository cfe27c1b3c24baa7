import { expect, it } from "vitest";
import { page, userEvent } from "vitest/browser";
import { render } from "vitest-browser-react";
import { Output } from "./Output";
import { textSource } from "./outputSource";

const text = (lines: number) => Array.from({ length: lines }, (_, index) => `line ${index + 1}`).join("\n");
const pane = () => page.getByRole("log", { name: "Output" }).element();
const gap = () => pane().scrollHeight - pane().scrollTop - pane().clientHeight;
/** The first line in view, and how far it is scrolled out. */
const topLine = () => {
  const edge = pane().getBoundingClientRect().top;
  const row = [...pane().children].find((child) => child.getBoundingClientRect().bottom > edge + 8);
  return [row?.textContent, Math.round((row?.getBoundingClientRect().top ?? 0) - edge)];
};
const frame = () => new Promise((done) => setTimeout(done, 60));

it("follows its tail until the reader scrolls up, then offers the way back", async () => {
  const screen = await render(<Output live title="Build" text={text(100)} />);
  await frame();
  expect(gap()).toBeLessThan(2);
  await screen.rerender(<Output live title="Build" text={text(150)} />);
  await frame();
  expect(gap()).toBeLessThan(2);

  pane().scrollTop -= 90;
  const read = topLine();
  await frame();
  expect(topLine(), "the lines above come without moving what is read").toEqual(read);
  expect(pane().children.length).toBe(100);
  await screen.rerender(<Output live title="Build" text={text(200)} />);
  await frame();
  expect(topLine()).toEqual(read);
  await page.getByRole("button", { name: "Jump to latest" }).click();
  await frame();
  expect(gap()).toBeLessThan(2);
  await expect.element(page.getByRole("button", { name: "Jump to latest" })).not.toBeInTheDocument();
});

it("keeps a line's row for as long as it is shown, and the rows of a flood", async () => {
  const screen = await render(<Output live title="Build" text={text(100)} />);
  const rows = [...pane().children];
  const named = (row: Element | undefined) => row?.textContent;
  await screen.rerender(<Output live title="Build" text={text(110)} />);
  expect([...pane().children].slice(0, -10), "what was shown moves up").toEqual(rows.slice(10));
  expect(rows.slice(10).map(named)).toEqual(Array.from({ length: 14 }, (_, at) => `line ${at + 87}`));

  const moved = [...pane().children];
  await screen.rerender(<Output live title="Build" text={text(900)} />);
  expect([...pane().children], "none of them is left").toEqual(moved);
  expect(moved.map(named)).toEqual(Array.from({ length: 24 }, (_, at) => `line ${at + 877}`));
});

it("draws of a flood what a frame has time for, and holds still what is being read", async () => {
  const screen = await render(<Output live title="Build" text={text(3_000)} />);
  const rows = () => [...pane().children].map((row) => row.textContent);
  expect(rows().slice(-1)).toEqual(["line 3000"]);
  expect(rows().length).toBe(24);
  await expect.element(page.getByText("2976 earlier lines")).toBeVisible();

  await frame();
  pane().scrollTop = 20;
  await frame();
  expect(rows().length).toBe(100);
  await expect.element(page.getByText("2900 earlier lines")).toBeVisible();
  const held = rows();
  await screen.rerender(<Output live title="Build" text={text(4_000)} />);
  expect(rows()).toEqual(held);
  await page.getByRole("button", { name: "Jump to latest" }).click();
  expect(rows().slice(-1)).toEqual(["line 4000"]);

  await screen.rerender(<Output live title="Build" text={`one\n${"x".repeat(50_000)}`} />);
  expect(rows()).toEqual([`…${"x".repeat(1_000)}`]);
  await screen.rerender(<Output live title="Build" text={`${"\ufffda".repeat(20)}\n`.repeat(1_000)} />);
  expect(pane().textContent?.length).toBeLessThanOrEqual(1_000);
  await screen.rerender(<Output live title="Build" text={"a\ufffd\u0531\u001b[31m".repeat(100)} />);
  expect(pane().textContent).toBe("a\ufffd\ufffd\ufffd[31m".repeat(100));
});

it("folds long output, unfolds it, and opens the whole of it", async () => {
  await render(<Output title="Build" text={text(60)} omittedLines={7} source={textSource(text(5000))} />);
  await expect.element(page.getByText("7 lines left out")).toBeVisible();
  expect(pane().textContent).not.toContain("line 50line");
  await page.getByRole("button", { name: "50 earlier lines" }).click();
  expect(pane().textContent).toContain("line 1line 2");
  await page.getByRole("button", { name: "Open in full" }).click();
  const dialog = page.getByRole("dialog", { name: "Output of Build" });
  await expect.element(dialog.getByText("5000 lines")).toBeVisible();
  expect(dialog.element().textContent).not.toContain("line 4999");
});

it("searches all that is kept, from the card, and goes from place to place", async () => {
  const kept = Array.from({ length: 30_000 }, (_, at) =>
    at % 10_000 === 77 ? `an \u001b[31mEr\u001b[0mror, error ${at}` : `row ${at}`,
  );
  await render(<Output title="Build" text="the end" source={textSource(kept.join("\n"))} />);
  pane().focus();
  await userEvent.keyboard("{Control>}f{/Control}");
  const field = page.getByRole("searchbox", { name: "Search in the output" });
  await expect.element(field).toHaveFocus();
  await field.fill("error");
  const status = page.getByRole("dialog").getByRole("status");
  await expect.element(status).toHaveTextContent("1 of 6");
  const present = () => document.querySelector("mark[aria-current]")?.parentElement?.textContent;
  await expect.poll(present).toBe("an Error, error 77");
  await userEvent.keyboard("{Enter}{Enter}");
  await expect.element(status).toHaveTextContent("3 of 6");
  await expect.poll(present).toBe("an Error, error 10077");
  await userEvent.keyboard("{Shift>}{Enter}{Enter}{Enter}{/Shift}");
  await expect.element(status).toHaveTextContent("6 of 6");
  await expect.poll(present).toBe("an Error, error 20077");
  await page.getByRole("button", { name: "Match case" }).click();
  await expect.element(status).toHaveTextContent("1 of 3");
  await field.fill("nowhere");
  await expect.element(status).toHaveTextContent("Not found");
  await expect.element(page.getByRole("button", { name: "Next place" })).toBeDisabled();
});
