import { expect, it } from "vitest";
import { shownAhead } from "./pending";
import { sameRows } from "./same-rows";

const row = (_id: string, name: string) => ({ _id, name, cover: [{ width: 4, tags: ["a"] }], at: null });

it("rows in which nothing has changed are the objects that they were", () => {
  const before = [row("a", "A"), row("b", "B")];
  expect(sameRows(before, [row("a", "A"), row("b", "B")])).toBe(before);
  const after = sameRows(before, [row("c", "C"), row("a", "A"), row("b", "B2")]);
  expect(after).toEqual([row("c", "C"), row("a", "A"), row("b", "B2")]);
  expect(after[1]).toBe(before[0]);
  expect(sameRows(before, [row("a", "A")])).toEqual([row("a", "A")]);
  expect(sameRows([{ _id: "a", x: 1 }], [{ _id: "a", x: 1, y: 2 }])).toEqual([{ _id: "a", x: 1, y: 2 }]);
  expect(sameRows([{ _id: "a", x: [1, 2] }], [{ _id: "a", x: [1, 3] }])).toEqual([{ _id: "a", x: [1, 3] }]);
});

it("a row that was shown ahead of its answer gives way to it, however alike they are", () => {
  const ahead = shownAhead([], [row("a", "A")]);
  const answered = [row("a", "A")];
  expect(sameRows(ahead, answered)[0]).toBe(answered[0]);
  expect(sameRows(answered, ahead)[0]).toBe(ahead[0]);
});
