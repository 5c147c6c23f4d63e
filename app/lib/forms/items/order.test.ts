import { expect, it } from "vitest";
import { orderArgs, reordered } from "./order";

const rows = ["a", "b", "c", "d"].map((_id) => ({ _id }));
const after = (to: Parameters<typeof reordered>[1]["to"], id: string, beside?: string) =>
  reordered(rows, { id, to, ...(beside !== undefined && { beside }) })
    .map(({ _id }) => _id)
    .join("");

it("places a row where the deployment will place it", () => {
  expect([after("up", "c"), after("up", "a"), after("down", "c"), after("down", "d")]).toEqual(["acbd", "abcd", "abdc", "abcd"]);
  expect([after("first", "c"), after("last", "a"), after("before", "d", "a"), after("after", "a", "c")]).toEqual([
    "cabd",
    "bcda",
    "dabc",
    "bcad",
  ]);
});

it("returns a list without the named row unchanged", () => {
  expect([after("up", "x"), after("before", "a", "x")]).toEqual(["abcd", "abcd"]);
});

it("moves a row from one page of a list to another", () => {
  const pages = [["a", "b"], ["c", "d"], ["e"]].map((page) => page.map((_id) => ({ _id })));
  const shown = (args: Parameters<typeof reordered>[1]) =>
    pages.map((page) =>
      reordered(page, args, pages.flat())
        .map(({ _id }) => _id)
        .join(""),
    );
  expect(shown({ id: "a", to: "before", beside: "d" })).toEqual(["b", "cad", "e"]);
  expect(shown({ id: "e", to: "after", beside: "a" })).toEqual(["aeb", "cd", ""]);
  expect(shown({ id: "a", to: "after", beside: "x" })).toEqual(["ab", "cd", "e"]);
});

it("returns the arguments from a form's fields", () => {
  expect(orderArgs({ id: "a", to: "before", beside: "b" })).toEqual({ id: "a", to: "before", beside: "b" });
  expect(orderArgs({ id: "a", to: "", beside: "" })).toEqual({ id: "a", to: "last" });
});
