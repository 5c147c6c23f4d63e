import { expect, it } from "vitest";
import { createInsertionOrder } from "./insertion-order";

const HOUR = 60 * 60_000;

it("returns the key of the earliest hour", () => {
  const order = createInsertionOrder();
  order.set("new", 5 * HOUR);
  order.set("old", HOUR);
  order.set("used again", 0);
  order.set("used again", 6 * HOUR);
  expect(order.oldest()).toBe("old");
  order.delete("old");
  expect(order.oldest()).toBe("new");
  order.delete("new");
  order.delete("used again");
  expect(order.oldest()).toBeUndefined();
});

it("orders keys of the same hour by their last use", () => {
  const order = createInsertionOrder();
  for (const key of ["a", "b", "a"]) order.set(key, HOUR);
  expect(order.oldest()).toBe("b");
});

it("evicts 100,000 keys in order", () => {
  const order = createInsertionOrder();
  for (let each = 0; each < 100_000; each++) order.set(`${each}`, (each % 168) * HOUR);
  let hour = 0;
  for (let key = order.oldest(); key !== undefined; key = order.oldest()) {
    if (Number(key) % 168 < hour) throw new Error(`${key} is older than the one before`);
    hour = Number(key) % 168;
    order.delete(key);
  }
  expect(hour).toBe(167);
});
