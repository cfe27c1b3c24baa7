/** An event that does not fit the state. Caught by `applyRecord`, never seen outside. */
export class Misfit extends Error {}
