import { expect, it } from "vitest";
import { createConcurrencyLimit, ConcurrencyLimitError } from "./concurrency-limit.server";

it("limits the concurrent jobs of each user", { tags: "@limits-concurrent-jobs-each-user" }, async () => {
  const limit = createConcurrencyLimit(2);
  const ends = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
  const jobs = ends.map(({ promise }) => limit.hold("ada", () => promise));
  await expect(limit.hold("ada", () => Promise.resolve(1))).rejects.toThrow(ConcurrencyLimitError);
  expect(await limit.hold("eve", () => Promise.resolve(2))).toBe(2);
  ends[0]?.reject(new Error("broken off"));
  await expect(jobs[0]).rejects.toThrow("broken off");
  expect(await limit.hold("ada", () => Promise.resolve(3))).toBe(3);
  ends[1]?.resolve(undefined);
  await jobs[1];
});

it("releases a slot only once", () => {
  const limit = createConcurrencyLimit(2);
  const release = limit.acquire("ada");
  limit.acquire("ada");
  expect(() => limit.acquire("ada")).toThrow(ConcurrencyLimitError);
  release();
  release();
  limit.acquire("ada");
  expect(() => limit.acquire("ada")).toThrow(ConcurrencyLimitError);
});
