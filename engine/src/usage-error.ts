/** A mistake in the command line, whose message needs no stack. */
export class UsageError extends Error {}
