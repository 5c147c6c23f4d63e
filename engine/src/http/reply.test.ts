import { expect, it, vi } from "vitest";
import { DiskFullError, StorageError } from "../values/errors.ts";
import { failure } from "./reply.ts";

it("answers 507 when a write finds no room, and reports one line", () => {
  const report = vi.fn<(error: unknown) => void>();
  const { status, body } = failure(new DiskFullError("Writing failed: database or disk is full"), report);
  expect([status, body]).toEqual([507, expect.stringContaining('"code":"InsufficientStorage"')]);
  expect(report).toHaveBeenCalledExactlyOnceWith("Writing failed: database or disk is full");
  expect(failure(new StorageError("x"), report).status).toBe(500);
});
