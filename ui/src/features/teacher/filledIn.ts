/**
 * A command with the reader's values in the places of their variables, as a shell would put them in: within double quotes as
 * they are with `\` before signs, elsewhere in single quotes. Secrets stay variables: they are not shown.
 */
import type { PlanInput } from "@/ipc/bindings";

export function filledIn(
  command: string,
  inputs: ReadonlyMap<string, PlanInput>,
): { text: string; missing: string[] } {
  const missing = new Set<string>();
  let text = "";
  let quote: "'" | '"' | null = null;
  for (let at = 0; at < command.length; at += 1) {
    const c = command[at] ?? "";
    if (c === "\\" && quote !== "'") {
      text += c + (command[at + 1] ?? "");
      at += 1;
      continue;
    }
    if ((c === "'" || c === '"') && (quote === null || quote === c)) quote = quote === null ? c : null;
    const found = quote === "'" ? null : /^\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/.exec(command.slice(at));
    const input = found ? inputs.get(found[1] ?? found[2] ?? "") : undefined;
    if (found && input) {
      if (input.value?.type === "plain") text += quoted(input.value.text, quote === '"');
      else {
        text += found[0];
        missing.add(input.label);
      }
      at += found[0].length - 1;
    } else text += c;
  }
  return { text, missing: [...missing] };
}

function quoted(value: string, within: boolean): string {
  if (within) return value.replace(/[\\"$`]/g, "\\$&");
  if (/^[\w@%+=:,./-]+$/.test(value)) return value;
  return `'${value.replaceAll("'", "'\\''")}'`;
}
