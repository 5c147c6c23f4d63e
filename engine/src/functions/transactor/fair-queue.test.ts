import { expect, test } from "vitest";
import type { Identity } from "../../values/types.ts";
import { anonymous, user } from "../testing.ts";
import { FairQueue } from "./fair-queue.ts";
import type { TransactorRequest, WireCall } from "./transactor-protocol.ts";

const callOf = (identity: Identity): WireCall => ({ path: "work:long", args: "{}", identity, visibility: "public" });
const query = (id: number, caller: Identity): TransactorRequest => ({
  id,
  kind: "queries",
  params: { calls: [callOf(caller)], at: null, isRound: false },
});
const mutation = (id: number, caller: Identity, sessionId: string): TransactorRequest => ({
  id,
  kind: "mutation",
  params: { call: callOf(caller), once: { sessionId, requestId: id } },
});
const round = (id: number, ...callers: Identity[]): TransactorRequest => ({
  id,
  kind: "queries",
  params: { calls: callers.map(callOf), at: null, isRound: true },
});
const [ada, eve] = [user("ada"), user("eve")];
const service: Identity = { kind: "user", user: { tokenIdentifier: "s", subject: "s", issuer: "i", service: true }, expiresAt: Infinity };

function takeAll(queue: FairQueue, ms: (request: TransactorRequest) => number, start = 0): number[] {
  const ids: number[] = [];
  let now = start;
  for (let request = queue.next(now); request; request = queue.next(now)) {
    if ("drop" in request) continue;
    ids.push(request.id);
    now += ms(request);
    queue.charge(request, ms(request), now);
  }
  return ids;
}

test("keeps the order of arrival while all callers are within their share", () => {
  const queue = new FairQueue();
  queue.add([query(1, eve), query(2, eve), { drop: ["a"] }, query(3, ada), round(4, eve, ada), query(5, eve)]);
  expect(takeAll(queue, () => 1)).toEqual([1, 2, 3, 4, 5]);
  expect(queue.isEmpty).toBe(true);
});

test("moves a caller's requests after the share behind those of others", () => {
  const queue = new FairQueue();
  queue.add([1, 2, 3, 4, 5, 6].map((id) => query(id, eve)));
  queue.add([query(7, ada), query(8, anonymous), round(9, eve, ada)]);
  expect(takeAll(queue, ({ id }) => (id <= 6 ? 100 : 10))).toEqual([1, 2, 3, 7, 8, 9, 4, 5, 6]);
});

test("moves scheduled functions after their share behind calls", () => {
  const queue = new FairQueue();
  queue.add([1, 2, 3].map((id): TransactorRequest => ({ id, kind: "runJob", params: { id: `${id}` } })));
  queue.add([query(4, ada)]);
  expect(takeAll(queue, () => 300)).toEqual([1, 4, 2, 3]);
});

test("gives a caller over the share a part of the time while others wait", () => {
  const queue = new FairQueue();
  queue.add([query(1, eve), query(2, eve)]);
  queue.add(Array.from({ length: 100 }, (_, index) => query(100 + index, user(`user ${index}`))));
  const order = takeAll(queue, ({ id }) => (id === 1 ? 400 : 10));
  expect(order.indexOf(2)).toBe(46);
});

test("takes the caller with the least use first among callers over the share", () => {
  const queue = new FairQueue();
  queue.add([query(1, eve), query(2, ada), query(3, eve), query(4, ada)]);
  expect(takeAll(queue, ({ id }) => (id === 1 ? 900 : 400))).toEqual([1, 2, 4, 3]);
});

test("counts nothing for the app server and administrators, who act for many", () => {
  const queue = new FairQueue();
  for (const identity of [service, { kind: "admin" } as const]) {
    queue.add([query(1, identity), query(2, identity), query(3, ada)]);
    expect(takeAll(queue, () => 900, 10_000)).toEqual([1, 2, 3]);
  }
});

test("keeps the order of a session's mutations, also when the user changes", () => {
  const queue = new FairQueue();
  queue.add([query(1, eve), mutation(2, eve, "a"), mutation(3, ada, "a"), mutation(4, ada, "b")]);
  expect(takeAll(queue, () => 900)).toEqual([1, 4, 2, 3]);
});
