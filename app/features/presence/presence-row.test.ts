import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { HEARTBEAT_MS, PresenceRow } from "./presence-row";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const state = { itemId: "design", isAway: false, isWatching: false };

function rowOf() {
  const deployment = { isConnected: true, exists: false, calls: [] as string[] };
  const row = new PresenceRow({
    isConnected: () => deployment.isConnected,
    async update({ itemId, isAway, isNew }) {
      deployment.calls.push([itemId, isAway && "away", isNew && "new"].filter(Boolean).join(" "));
      await Promise.resolve();
      if (isNew) deployment.exists = true;
      return deployment.exists;
    },
    async leave() {
      deployment.calls.push("leave");
      deployment.exists = false;
    },
  });
  return { row, deployment };
}

it("writes once per ten seconds while nothing changes", async () => {
  const { row, deployment } = rowOf();
  row.set(state);
  await vi.advanceTimersByTimeAsync(6 * HEARTBEAT_MS - 1);
  expect(deployment.calls).toEqual(["design new", "design", "design", "design", "design", "design"]);
});

it("writes a change at once, and the latest one of several", async () => {
  const { row, deployment } = rowOf();
  row.set(state);
  for (const itemId of ["image 1", "image 2"]) row.set({ ...state, itemId });
  await vi.advanceTimersByTimeAsync(10);
  row.set({ ...state, itemId: "image 2", isAway: true });
  await vi.advanceTimersByTimeAsync(10);
  expect(deployment.calls).toEqual(["design new", "image 2", "image 2 away"]);
});

it("leaves after the call that is in progress, and then writes nothing", async () => {
  const { row, deployment } = rowOf();
  row.set(state);
  row.set(null);
  await vi.advanceTimersByTimeAsync(5 * HEARTBEAT_MS);
  expect(deployment.calls).toEqual(["design new", "leave"]);
});

it("creates the row again after the deployment has deleted it", async () => {
  const { row, deployment } = rowOf();
  row.set(state);
  await vi.advanceTimersByTimeAsync(10);
  deployment.exists = false;
  await vi.advanceTimersByTimeAsync(HEARTBEAT_MS);
  expect(deployment.calls).toEqual(["design new", "design", "design new"]);
});

it("writes nothing while disconnected, and at once when the connection is back", async () => {
  const { row, deployment } = rowOf();
  deployment.isConnected = false;
  row.set(state);
  await vi.advanceTimersByTimeAsync(5 * HEARTBEAT_MS);
  expect(deployment.calls).toEqual([]);
  deployment.isConnected = true;
  row.renew();
  await vi.advanceTimersByTimeAsync(1);
  expect(deployment.calls).toEqual(["design new"]);
});

it("writes nothing after the page has closed", async () => {
  const { row, deployment } = rowOf();
  row.set(state);
  await vi.advanceTimersByTimeAsync(10);
  row.close();
  await vi.advanceTimersByTimeAsync(5 * HEARTBEAT_MS);
  row.set(state);
  await vi.advanceTimersByTimeAsync(10);
  expect(deployment.calls).toEqual(["design new", "design new"]);
});

it("continues after a refused call", async () => {
  const update = vi.fn<() => Promise<boolean>>().mockRejectedValueOnce(new Error("not_found")).mockResolvedValue(true);
  const row = new PresenceRow({ isConnected: () => true, update, leave: async () => {} });
  row.set(state);
  await vi.advanceTimersByTimeAsync(HEARTBEAT_MS + 10);
  expect(update.mock.calls).toEqual([[{ ...state, isNew: true }], [{ ...state, isNew: true }]]);
});
