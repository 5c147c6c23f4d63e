import { describe, expect, it } from "vitest";
import { LARGE_MESSAGE_BYTES } from "../memory/collect-garbage.ts";
import { MemoryBudget } from "../memory/budget.ts";
import { SocketMemory } from "./socket-memory.ts";

it("counts running requests of a closed websocket until they end", () => {
  const limits = { connection: 10, address: 15, total: 100 };
  const budget = new MemoryBudget({ anonymous: limits, authenticated: limits });
  const exceeded: string[] = [];
  const open = () => new SocketMemory(budget.open("192.0.2.1"), (limit) => exceeded.push(limit));
  const first = open();
  first.add("requests", 10);
  first.close(Promise.resolve());
  expect(budget.total).toBe(10);
  open().set("received", 6);
  expect(exceeded).toEqual(["address"]);
  first.add("requests", -10);
  expect(budget.total).toBe(6);
  first.set("unsent", 5);
  expect(budget.total).toBe(6);
});

describe("pending queries without a token", () => {
  const open = (budget: MemoryBudget) => new SocketMemory(budget.open(null), () => undefined);
  const receive = (memory: SocketMemory) => memory.set("received", LARGE_MESSAGE_BYTES);
  const subscribe = (memory: SocketMemory) => {
    receive(memory);
    memory.set("pending", LARGE_MESSAGE_BYTES);
    memory.set("arguments", LARGE_MESSAGE_BYTES);
    memory.set("received", 0);
  };

  it("delay large messages of all connections until they have a result", () => {
    const budget = new MemoryBudget();
    const [first, second] = [open(budget), open(budget)];
    subscribe(first);
    receive(first);
    receive(second);
    expect([first.isWaiting, second.isWaiting]).toEqual([true, true]);
    first.set("pending", 0);
    expect([first.isWaiting, second.isWaiting]).toEqual([false, true]);
    first.set("received", 0);
    expect(second.isWaiting).toBe(false);
  });

  it("count after the connection has closed until their run has ended", async () => {
    const budget = new MemoryBudget();
    const [first, second] = [open(budget), open(budget)];
    subscribe(first);
    const idle = Promise.withResolvers<void>();
    first.close(idle.promise);
    receive(second);
    expect([budget.total, second.isWaiting]).toEqual([2 * LARGE_MESSAGE_BYTES, true]);
    idle.resolve();
    await idle.promise;
    expect([budget.total, second.isWaiting]).toEqual([LARGE_MESSAGE_BYTES, false]);
  });
});
