import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { S3Error } from "@atelier/engine/s3-error";
import { leaseBucket, type LeaseClient } from "./bucket-lease.ts";

const MINUTE = 60_000;
const options = { key: "lock", owner: "this", what: "s3://bucket/" };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function bucketOf(failure: () => S3Error | null = () => null) {
  let stored: { etag: string; owner: string | null; at: number } | null = null;
  let writes = 0;
  const client: LeaseClient = {
    head: () => Promise.resolve(stored && { etag: stored.etag, owner: stored.owner, size: 1, ageMs: Date.now() - stored.at }),
    put(_key, _body, { owner, condition } = {}) {
      const error = failure();
      if (error && (condition || error.status !== 501)) return Promise.reject(error);
      if (condition?.["If-None-Match"] && stored) return Promise.reject(new S3Error("PreconditionFailed", 412));
      if (condition?.["If-Match"] && condition["If-Match"] !== stored?.etag) return Promise.reject(new S3Error("PreconditionFailed", 412));
      stored = { etag: String((writes += 1)), owner: owner ?? null, at: Date.now() };
      return Promise.resolve(stored.etag);
    },
    remove: () => Promise.resolve(void (stored = null)),
  };
  return { client, stored: () => stored, replace: (owner: string) => (stored = { etag: "other", owner, at: Date.now() }) };
}

it("renews a lease while a backup runs, and removes it at the end", async () => {
  const { client, stored } = bucketOf();
  const lease = await leaseBucket(client, options);
  await vi.advanceTimersByTimeAsync(60 * MINUTE);
  lease.require();
  await expect(leaseBucket(client, { ...options, owner: "other" })).rejects.toThrow("Another machine takes a backup to s3://bucket/");
  await lease.release();
  expect(stored()).toBeNull();
});

it("refuses writes after a lease that could not be renewed", async () => {
  let failure: S3Error | null = null;
  const { client, stored } = bucketOf(() => failure);
  const lease = await leaseBucket(client, options);
  failure = new S3Error("ECONNREFUSED", null);
  await vi.advanceTimersByTimeAsync(9 * MINUTE);
  lease.require();
  await vi.advanceTimersByTimeAsync(2 * MINUTE);
  expect(() => lease.require()).toThrow("Another machine takes a backup");
  await lease.release();
  expect(stored()).not.toBeNull();
});

it("refuses writes after another machine took an expired lease", async () => {
  const { client, replace, stored } = bucketOf();
  const lease = await leaseBucket(client, options);
  replace("other");
  await vi.advanceTimersByTimeAsync(11 * MINUTE);
  expect(() => lease.require()).toThrow("Another machine takes a backup");
  await lease.release();
  expect(stored()?.owner).toBe("other");
});

it("takes over its own lease after a crash", async () => {
  const { client } = bucketOf();
  await leaseBucket(client, options);
  await expect(leaseBucket(client, options)).resolves.toBeDefined();
});

it("works with a service without conditional requests", async () => {
  const { client } = bucketOf(() => new S3Error("NotImplemented", 501));
  const lease = await leaseBucket(client, options);
  await vi.advanceTimersByTimeAsync(30 * MINUTE);
  expect(() => lease.require()).not.toThrow();
  await lease.release();
});
