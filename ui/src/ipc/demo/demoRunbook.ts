/* A page as a plan, as far as tests and the demonstration need it: the engine reads it with far more care. */
import type { Plan, PlanInput } from "../bindings";
import { engineError } from "../engineError";
import { demoStep, indexed } from "./photoServer";

/** Throws `no-commands` where there is none. */
export function planOf(name: string, text: string, id: string): Plan {
  const fenced = [...text.matchAll(/```[a-z]*\n([\s\S]*?)```/g)].flatMap((match) =>
    (match[1] ?? "").split("\n"),
  );
  const marked = text
    .split("\n")
    .flatMap((line) => (/^\s*\$ /.test(line) ? [line.replace(/^\s*\$ /, "")] : []));
  const commands = [...fenced, ...marked].map((line) => line.trim()).filter((line) => line !== "");
  if (commands.length === 0) {
    throw engineError(
      "no-commands",
      `There is no command in ${name}. Put commands in a code block or begin them with “$ ”.`,
    );
  }
  const inputs = new Map<string, PlanInput>();
  const filled = commands.map((command) =>
    command.replace(/<([a-z][a-z0-9-]*)>/g, (token, words: string) => {
      const name = words.toUpperCase().replaceAll("-", "_");
      const label = words.replaceAll("-", " ");
      inputs.set(name, {
        name,
        label: label.charAt(0).toUpperCase() + label.slice(1),
        token,
        kind: /token|password|secret|key/.test(words) ? "secret" : "text",
        required: true,
        byHand: false,
        choices: [],
        suggestions: words.includes("user") ? ["ada"] : [],
        value: null,
      });
      return `"\${${name}}"`;
    }),
  );
  const heading = /^#\s+(.+)$/m.exec(text)?.[1];
  const steps = indexed(
    filled.map((command, at) => demoStep(`step-${at + 1}`, command, command, "execute", "caution")),
  );
  return {
    id,
    revision: 1,
    title: heading ?? name,
    intent: "",
    mode: "planner",
    onFailure: "stop",
    origin: { type: "runbook", name },
    originalSteps: steps.length,
    state: { type: "draft" },
    steps,
    inputs: [...inputs.values()],
  };
}
