/** The message contains the next step, so callers print no stack. */
export class MoveError extends Error {}
