import { expect, it } from "vitest";
import { isPending, isOptimistic, pendingId, markOptimistic } from "./pending";

it("returns one placeholder per call, however often its optimistic update runs", () => {
  const call = { name: "Dawn" };
  expect(pendingId(call)).toBe(pendingId(call));
  expect(pendingId({ name: "Dawn" })).not.toBe(pendingId(call));
  expect(isPending(pendingId(call))).toBe(true);
  expect(isPending("k57a9w1f2c3d4e5f6a7b8c9d0e1f2a3b")).toBe(false);
});

it("marks only the rows that an update has changed", () => {
  const [kept, old] = [{ name: "Dawn" }, { name: "Noon" }];
  const renamed = { ...old, name: "Dusk" };
  const after = [renamed, kept];
  expect(markOptimistic([kept, old], after)).toBe(after);
  expect([kept, old, renamed].map(isOptimistic)).toEqual([false, false, true]);
});
