/** The message says what to do, so callers print no stack. */
export class MoveError extends Error {}
