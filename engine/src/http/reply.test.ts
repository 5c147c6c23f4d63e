import { expect, it, vi } from "vitest";
import { DiskFullError, OverloadedError, StorageError } from "../values/errors.ts";
import { failure } from "./reply.ts";

it("answers 507 when the disk is full, and reports one line", () => {
  const report = vi.fn<(error: unknown) => void>();
  const { status, body } = failure(new DiskFullError("Writing failed: database or disk is full"), report);
  expect([status, body]).toEqual([507, expect.stringContaining('"code":"InsufficientStorage"')]);
  expect(report).toHaveBeenCalledExactlyOnceWith("Writing failed: database or disk is full");
  expect(failure(new StorageError("x"), report).status).toBe(500);
});

it("answers 503 with the code when the deployment is overloaded, and reports nothing", () => {
  const report = vi.fn<(error: unknown) => void>();
  const { status, body } = failure(new OverloadedError("ExpiredInQueue", "Try again later."), report);
  expect([status, body]).toEqual([503, '{"code":"ExpiredInQueue","message":"Try again later."}']);
  expect(report).not.toHaveBeenCalled();
});
