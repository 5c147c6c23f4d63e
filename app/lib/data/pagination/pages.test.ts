import { describe, expect, it } from "vitest";
import { pageOf } from "./pages";

const rows = (many: number) => Array.from({ length: many }, (_, each) => each);

describe("the first page of a list", () => {
  it("has a next page only if there are more rows", () => {
    expect(pageOf(rows(199))).toEqual({ rows: rows(199), isFirst: true, next: null });
    expect(pageOf(rows(200))).toEqual({ rows: rows(200), isFirst: true, next: null });
    expect(pageOf(rows(201))).toEqual({ rows: rows(200), isFirst: true, next: "first" });
  });
});

describe("a later page", () => {
  it("has a next page until the list is done", () => {
    const later = { page: rows(3), continueCursor: "c" };
    expect(pageOf({ ...later, isDone: false })).toEqual({ rows: rows(3), isFirst: false, next: "c" });
    expect(pageOf({ ...later, isDone: true })).toEqual({ rows: rows(3), isFirst: false, next: null });
  });
});
