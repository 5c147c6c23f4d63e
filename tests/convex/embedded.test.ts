import { expect, it } from "vitest";
import { probe, signUp } from "./backends.ts";
import { reusedBackend } from "./embedded.ts";

const HOUR = 60 * 60 * 1000;
const call = { name: "probe:fail" };

it("reuses a deployment without its rows, files and pending calls", async () => {
  const first = await reusedBackend();
  const callsBefore = await first.inside.query(probe.scheduledCalls, call);
  const { userId } = await signUp(first, "ada");
  const rows = Array.from({ length: 2500 }, (_, at) => ({ userId, at, kind: "image", ids: [], until: 1 }));
  await first.inside.mutation(probe.insertMany, { table: "bulkSelections", rows });
  const file = await first.store(new Uint8Array([1]));
  await first.inside.mutation(probe.scheduleFailure, { text: "later", delayMs: HOUR / 2 });
  expect(await first.inside.query(probe.scheduledCalls, { ...call, state: "pending" })).toBe(1);
  await first.close();

  const second = await reusedBackend();
  expect(await second.inside.query(probe.scheduledCalls, call)).toBe(callsBefore + 1);
  expect(await second.inside.query(probe.scheduledCalls, { ...call, state: "pending" })).toBe(0);
  for (const table of ["users", "sessions", "bulkSelections"]) expect(await second.inside.query(probe.rows, { table }), table).toEqual([]);
  expect(await second.inside.query(probe.filesAmong, { ids: [file] })).toEqual([]);
  await second.close();
});

it("stops a deployment that a test has killed", async () => {
  const backend = await reusedBackend();
  await backend.crash?.();
  expect(await backend.inside.query(probe.filesAmong, { ids: [] })).toEqual([]);
  await backend.close();
  await expect(backend.inside.query(probe.filesAmong, { ids: [] })).rejects.toThrow("fetch failed");
});
