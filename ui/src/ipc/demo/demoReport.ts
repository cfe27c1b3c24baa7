import type { SessionState } from "../bindings";

/** A report in Markdown, shorter than the engine's. */
export function reportOf({ title, plan, results, goal }: SessionState): string {
  if (goal) {
    const lines = goal.todos.map((todo) => `- [${todo.status === "completed" ? "x" : " "}] ${todo.title}`);
    return `# ${goal.request.goal}\n\n${goal.iteration} iterations.\n\n## To-dos\n\n${lines.join("\n")}\n`;
  }
  const rows = (plan?.steps ?? []).map(
    (step) => `| ${step.index + 1} | ${step.title} | ${step.state.type} |`,
  );
  return `# ${title}\n\n${results.length} attempts.\n\n| Step | What | State |\n|---|---|---|\n${rows.join("\n")}\n`;
}
