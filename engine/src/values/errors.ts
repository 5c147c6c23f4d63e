import type { Json } from "./types.ts";

/** An error in the request, with Convex's message. `data` is for errors that clients handle (`convex/src/react/use_paginated_query.ts`). */
export class FunctionError extends Error {
  readonly data: Json | undefined;

  constructor(message: string, data?: Json) {
    super(message);
    this.name = "FunctionError";
    this.data = data;
  }
}

/** The data cannot be used (newer format, second process) or a write failed. */
export class StorageError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "StorageError";
  }
}

/** The deployment has no capacity for a call, which did not run. `code` is Convex's (`convex/src/browser/sync/web_socket_manager.ts`). */
export class OverloadedError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = "OverloadedError";
    this.code = code;
  }
}

/** The message for clients, because the message of a `DiskFullError` contains paths. */
export const DISK_FULL = "The deployment's disk is full. Nothing was saved.";

/** A write failed because the disk is full. Later writes succeed once there is free space. */
export class DiskFullError extends StorageError {
  constructor(message: string, cause?: unknown) {
    super(message, cause);
    this.name = "DiskFullError";
  }
}

/** Stored data is damaged. The deployment then stops all writes to protect the intact data. */
export class DamagedDataError extends StorageError {
  /** @param what a text for the operator without paths or field values, because clients may see it */
  constructor(what: string, cause?: unknown) {
    super(
      `The data is damaged (${what}). Nothing more is written. Stop the app, run 'npm run check-data' and follow docs/operation.md, "Checking the data".`,
      cause,
    );
    this.name = "DamagedDataError";
  }

  static fromMessage(message: string): DamagedDataError {
    return Object.assign(new DamagedDataError(""), { message });
  }
}
