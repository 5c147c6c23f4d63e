import type { Json } from "./types.ts";

/**
 * A fault in what a function asked for, with the message that Convex shows to its developer. Everything the data rooms
 * refuse is one of these; any other exception is a fault of the deployment itself.
 *
 * `data` travels with errors that clients act upon (a cursor that no longer fits, see `convex/src/react/use_paginated_query.ts`).
 */
export class FunctionError extends Error {
  readonly data: Json | undefined;

  constructor(message: string, data?: Json) {
    super(message);
    this.name = "FunctionError";
    this.data = data;
  }
}

/** The data on disk cannot be used (a newer format, a second process) or a write to it failed. */
export class StorageError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "StorageError";
  }
}
