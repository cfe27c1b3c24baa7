/** For tests: what axe finds wrong in the page, as readable lines; empty is good. */
import axe from "axe-core";

export async function axeViolations(): Promise<string[]> {
  // Colours that are still on their way would be measured half-way.
  await new Promise((done) => setTimeout(done, 350));
  const { violations } = await axe.run(document.body, { rules: { region: { enabled: false } } });
  return violations.flatMap((found) => found.nodes.map((node) => `${found.id}: ${node.html}`));
}
