import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { anonymous } from "../testing.ts";
import { SlowLane } from "./slow-lane.ts";
import type { Question, WireCall } from "./transactor-protocol.ts";

const callOf = (path: string): WireCall => ({ path, args: "{}", identity: anonymous, visibility: "public" });
const mutation = (id: number, path: string, sessionId: string): Question => ({
  id,
  kind: "mutation",
  params: { call: callOf(path), once: { sessionId, requestId: id } },
});
const query = (id: number, path: string): Question => ({ id, kind: "queries", params: { calls: [callOf(path)], at: null } });

let lane: SlowLane;
let due: number;
beforeEach(() => {
  vi.useFakeTimers();
  due = 0;
  lane = new SlowLane(() => (due += 1));
});
afterEach(() => void vi.useRealTimers());

test("sends slow calls one at a time, and none during a pause", () => {
  expect(lane.take(query(1, "work:slow"))).toBe(false);
  lane.add(query(1, "work:slow"), 0);
  expect([query(2, "work.js:slow"), query(3, "work:slow"), query(4, "work:fast")].map((question) => lane.take(question))).toEqual([
    true,
    true,
    false,
  ]);
  lane.pause();
  expect(lane.next()).toBeNull();
  vi.advanceTimersByTime(250);
  expect(due).toBe(1);
  expect(lane.next()?.id).toBe(2);
  expect(lane.next()).toBeNull();
  lane.end(4);
  expect(lane.next()).toBeNull();
  lane.end(2);
  expect(due).toBe(2);
  expect(lane.next()?.id).toBe(3);
});

test("keeps the order of a session's mutations", () => {
  lane.add(mutation(1, "work:slow", "a"), 0);
  expect(lane.take(mutation(2, "work:slow", "a"))).toBe(true);
  expect(lane.take(mutation(3, "work:fast", "a"))).toBe(true);
  expect(lane.take(mutation(4, "work:fast", "b"))).toBe(false);
  expect(lane.next()?.id).toBe(2);
  expect(lane.take(mutation(5, "work:fast", "a"))).toBe(true);
  for (const id of [2, 3, 5]) lane.end(id);
  expect(lane.next()?.id).toBe(3);
});
