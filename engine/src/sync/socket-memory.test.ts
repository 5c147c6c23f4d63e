import { expect, it } from "vitest";
import { MemoryBudget } from "../memory/budget.ts";
import { SocketMemory } from "./socket-memory.ts";

it("counts running requests of a closed websocket until they end", () => {
  const limits = { connection: 10, address: 15, total: 100 };
  const budget = new MemoryBudget({ anonymous: limits, authenticated: limits });
  const exceeded: string[] = [];
  const open = () => new SocketMemory(budget.open("192.0.2.1"), (limit) => exceeded.push(limit));
  const first = open();
  first.add("requests", 10);
  first.close();
  expect(budget.total).toBe(10);
  open().set("received", 6);
  expect(exceeded).toEqual(["address"]);
  first.add("requests", -10);
  expect(budget.total).toBe(6);
  first.set("unsent", 5);
  expect(budget.total).toBe(6);
});
