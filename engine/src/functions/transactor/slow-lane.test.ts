import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Identity } from "../../values/types.ts";
import { anonymous } from "../testing.ts";
import { SlowLane } from "./slow-lane.ts";
import type { TransactorRequest, WireCall } from "./transactor-protocol.ts";

const callOf = (path: string, identity: Identity = anonymous): WireCall => ({ path, args: "{}", identity, visibility: "public" });
const mutation = (id: number, path: string, sessionId: string): TransactorRequest => ({
  id,
  kind: "mutation",
  params: { call: callOf(path), once: { sessionId, requestId: id } },
});
const query = (id: number, path: string, ...callers: Identity[]): TransactorRequest => ({
  id,
  kind: "queries",
  params: { calls: (callers.length > 0 ? callers : [anonymous]).map((caller) => callOf(path, caller)), at: null, isRound: false },
});
const user = (subject: string): Identity => ({
  kind: "user",
  user: { tokenIdentifier: `issuer|${subject}`, subject, issuer: "issuer" },
  expiresAt: Infinity,
});

let lane: SlowLane;
let due: number;
beforeEach(() => {
  vi.useFakeTimers();
  due = 0;
  lane = new SlowLane(() => (due += 1));
});
afterEach(() => void vi.useRealTimers());

test("sends slow calls one at a time, and none during a pause", () => {
  expect(lane.tryQueue(query(1, "work:slow"))).toBe(false);
  lane.add(query(1, "work:slow"), 0);
  expect([query(2, "work.js:slow"), query(3, "work:slow"), query(4, "work:fast")].map((request) => lane.tryQueue(request))).toEqual([
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
  expect(lane.tryQueue(mutation(2, "work:slow", "a"))).toBe(true);
  expect(lane.tryQueue(mutation(3, "work:fast", "a"))).toBe(true);
  expect(lane.tryQueue(mutation(4, "work:fast", "b"))).toBe(false);
  expect(lane.next()?.id).toBe(2);
  expect(lane.tryQueue(mutation(5, "work:fast", "a"))).toBe(true);
  for (const id of [2, 3, 5]) lane.end(id);
  expect(lane.next()?.id).toBe(3);
});

test("sends other callers' calls before those of a caller with a slow call", () => {
  const [ada, eve] = [user("ada"), user("eve")];
  lane.add(query(1, "work:slow", eve), 0);
  for (const request of [query(2, "work:slow", eve), query(3, "work:slow", eve), query(4, "work:slow", ada)]) lane.tryQueue(request);
  lane.tryQueue(query(5, "work:slow", eve, ada));
  const sent = [4, 5, 2, 3].map(() => {
    const next = lane.next()?.id ?? 0;
    lane.end(next);
    return next;
  });
  expect(sent).toEqual([4, 5, 2, 3]);
  expect(lane.next()).toBeNull();
});
