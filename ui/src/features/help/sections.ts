/* The troubleshooting page, as the program carries it: no network is needed to read it. */
import page from "../../../../docs/troubleshooting.md?raw";

const HEADING = /^#+ /m;

/** Without its title, which the dialog has already. */
export const WHOLE = page.replace(/^# .*\n+/, "");

/** What the page says about a code; null where it says nothing. */
export function sectionOf(code: string): string | null {
  const [, behind] = page.split(`\n### \`${code}\`\n`);
  if (behind === undefined) return null;
  const end = behind.search(HEADING);
  return (end < 0 ? behind : behind.slice(0, end)).trim();
}
