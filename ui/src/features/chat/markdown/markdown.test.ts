import { describe, expect, it } from "vitest";
import { blocksOf, NO_BLOCKS } from "./blocks";
import { mended } from "./mend";

const PAGE = `# Title

Some **bold** text
over two lines.

- one

  still one
- two

\`\`\`sh
npm test

echo done
\`\`\`

| a | b |
|---|---|
| 1 | 2 |

1. first
2. second

The end.`;

function all(source: string) {
  const { finished, open } = blocksOf(`${source}\n`);
  return [...finished, open.trimEnd()];
}

describe("blocks", () => {
  it("cuts a page where Markdown does", () => {
    const blocks = all(PAGE);
    expect(blocks).toHaveLength(7);
    expect(blocks[2]).toBe("- one\n\n  still one\n- two");
    expect(blocks[3]).toBe("```sh\nnpm test\n\necho done\n```");
    expect(blocks.at(-1)).toBe("The end.");
  });

  it("never changes a finished block while the text comes letter by letter", () => {
    let now = NO_BLOCKS;
    for (let end = 1; end <= PAGE.length; end += 1) {
      const next = blocksOf(PAGE.slice(0, end), now);
      expect(next.finished.slice(0, now.finished.length)).toEqual(now.finished);
      expect(PAGE.slice(0, end).endsWith(next.open)).toBe(true);
      now = next;
    }
    expect([...now.finished, now.open].join("\n\n")).toBe(all(PAGE).join("\n\n"));
  });

  it("starts anew with another text", () => {
    expect(all("one\n\ntwo")).toEqual(["one", "two"]);
    expect(blocksOf("other", blocksOf("one\n\ntwo"))).toMatchObject({ finished: [], open: "other" });
  });

  it("keeps the spaces that make indented code", () => {
    expect(all("text\n\n    code\n    more\n\nend")).toEqual(["text", "    code\n    more", "end"]);
  });
});

describe("mended", () => {
  it.each([
    ["a **bol", "a **bol**"],
    ["a **bold", "a **bold**"],
    ["a **bold*", "a **bold**"],
    ["a **", "a"],
    ["a *", "a"],
    ["a **b** and *c", "a **b** and *c*"],
    ["***both", "***both***"],
    ["run `npm te", "run `npm te`"],
    ["run `", "run"],
    ["in `**code", "in `**code`"],
    ["`a` **b", "`a` **b**"],
    ["snake_case_name", "snake_case_name"],
    ["2 * 3 = 6", "2 * 3 = 6"],
    ["see [the docs](https://exa", "see the docs"],
    ["see [the do", "see the do"],
    ["see ![pic](http://x/", "see pic"],
    ["text\n-", "text"],
    ["text\n#", "text"],
    ["- one\n2", "- one"],
    ["first **open\n\nsecond", "first **open\n\nsecond"],
    ["```js\nconst a = 1\n``", "```js\nconst a = 1\n"],
    ["```js\nlet a = '**'", "```js\nlet a = '**'"],
    ["| a | b |", "| a | b |\n| --- | --- |"],
    ["| a | b |\n|--", "| a | b |\n| --- | --- |"],
    ["| a | b |\n|---|---|\n| 1 | **2", "| a | b |\n|---|---|\n| 1 | **2**"],
  ])("%j is drawn as %j", (text, drawn) => {
    expect(mended(text)).toBe(drawn);
  });

  it("leaves what is whole alone", () => {
    for (const text of [
      "plain words.",
      "a **b** `c` [d](https://e.f) ~~g~~ _h_",
      "- one\n- two",
      "```\n*\n```",
    ]) {
      expect(mended(text)).toBe(text);
    }
  });
});
