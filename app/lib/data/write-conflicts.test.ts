import { expect, it } from "vitest";
import { CONFLICT_RETRIES, retryConflicts } from "./write-conflicts";

const TEXT = 'Documents read from or written to the "usage" table changed while this mutation was being run and on every subsequent retry.';

function failing(times: number, error: Error) {
  let runs = 0;
  return { run: async () => (++runs > times ? runs : Promise.reject(error)), runs: () => runs };
}

it("retries a mutation after a write conflict, with growing pauses", async () => {
  const pauses: number[] = [];
  const { run } = failing(3, new Error(TEXT));
  expect(await retryConflicts(run, async (ms) => void pauses.push(ms))).toBe(4);
  expect(pauses.map((ms) => Math.floor(Math.log2(ms / 100)))).toEqual([0, 1, 2]);
});

it("throws other errors at once, and a conflict after the last retry", async () => {
  const other = failing(9, new Error("Server Error"));
  await expect(retryConflicts(other.run, async () => {})).rejects.toThrow("Server Error");
  expect(other.runs()).toBe(1);
  const lasting = failing(99, new Error(TEXT));
  await expect(retryConflicts(lasting.run, async () => {})).rejects.toThrow("on every subsequent retry");
  expect(lasting.runs()).toBe(CONFLICT_RETRIES + 1);
});
