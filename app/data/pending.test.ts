import { expect, it } from "vitest";
import { isPending, pendingId } from "./pending";

it("gives one call one stand-in, however often its optimistic update runs", () => {
  const call = { name: "Dawn" };
  expect(pendingId(call)).toBe(pendingId(call));
  expect(pendingId({ name: "Dawn" })).not.toBe(pendingId(call));
  expect(isPending(pendingId(call))).toBe(true);
  expect(isPending("k57a9w1f2c3d4e5f6a7b8c9d0e1f2a3b")).toBe(false);
});
