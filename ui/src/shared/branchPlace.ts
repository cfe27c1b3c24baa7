/* Where the card of a sub-goal stands in the conversation, and the way there from elsewhere. */

export function branchId(number: number): string {
  return `sub-goal-${number}`;
}

export function leadToBranch(number: number): void {
  const card = document.getElementById(branchId(number));
  card?.scrollIntoView({ block: "center" });
  card?.focus({ preventScroll: true });
}
