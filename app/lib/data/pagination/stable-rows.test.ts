import { expect, it } from "vitest";
import { markOptimistic } from "../pending";
import { stableRows } from "./stable-rows";

const row = (_id: string, name: string) => ({ _id, name, cover: [{ width: 4, tags: ["a"] }], at: null });

it("reuses the objects of unchanged rows", () => {
  const before = [row("a", "A"), row("b", "B")];
  expect(stableRows(before, [row("a", "A"), row("b", "B")])).toBe(before);
  const after = stableRows(before, [row("c", "C"), row("a", "A"), row("b", "B2")]);
  expect(after).toEqual([row("c", "C"), row("a", "A"), row("b", "B2")]);
  expect(after[1]).toBe(before[0]);
  expect(stableRows(before, [row("a", "A")])).toEqual([row("a", "A")]);
  expect(stableRows([{ _id: "a", x: 1 }], [{ _id: "a", x: 1, y: 2 }])).toEqual([{ _id: "a", x: 1, y: 2 }]);
  expect(stableRows([{ _id: "a", x: [1, 2] }], [{ _id: "a", x: [1, 3] }])).toEqual([{ _id: "a", x: [1, 3] }]);
});

it("replaces an optimistic row with its equal answer", () => {
  const ahead = markOptimistic([], [row("a", "A")]);
  const answered = [row("a", "A")];
  expect(stableRows(ahead, answered)[0]).toBe(answered[0]);
  expect(stableRows(answered, ahead)[0]).toBe(ahead[0]);
});
