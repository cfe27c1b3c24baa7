/* The troubleshooting page, as the program carries it: no network is needed to read it. */
import page from "../../../docs/troubleshooting.md?raw";

const HEADING = /^#+ /m;

/** Without its title, which the dialog has already. */
export const WHOLE = page.replace(/^# .*\n+/, "");

/** What the page says about the code of an error or of an end; null where it says nothing. */
export function sectionOf(code: string): string | null {
  for (const section of page.split("\n### `").slice(1)) {
    const codes = section.slice(0, section.indexOf("\n"));
    if (!codes.match(/[\w-]+/g)?.includes(code)) continue;
    const text = section.slice(codes.length);
    const end = text.search(HEADING);
    return (end < 0 ? text : text.slice(0, end)).trim();
  }
  return null;
}
