import { expect, it } from "vitest";
import type { Id } from "#convex/_generated/dataModel";
import { noticePage, pageStartFrom } from "./pages";

const notices = (many: number) =>
  Array.from({ length: many }, (_, index) => ({
    _id: `n${index}` as Id<"notices">,
    notice: { kind: "passwordChanged" } as const,
    at: 1000 - index,
    read: index > 50,
  }));

it("has a next page only if there are more notices after the last shown one", () => {
  expect(noticePage(notices(100), true)).toMatchObject({ isFirst: true, next: null });
  const { rows, next } = noticePage(notices(101), true);
  expect(rows).toHaveLength(100);
  expect(pageStartFrom(new URLSearchParams({ after: next ?? "" }))).toEqual({ id: "n99", at: 901, read: true });
});

it.each(["", "first", "2.1.a", "1.x.a", "1.1.a/b", "1.1."])("shows the first page for %j", (after) => {
  expect(pageStartFrom(new URLSearchParams({ after }))).toBeNull();
});
