import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { FunctionError } from "../../values/errors.ts";
import type { Json } from "../../values/types.ts";
import { mutate, names, page, scan, testDatabase, type TestDatabase } from "../testing.ts";

let data: TestDatabase;
beforeEach(() => {
  data = testDatabase();
  mutate(data.db, (tx) => {
    for (let i = 0; i < 10; i++) tx.insert("rows", { name: i, size: "x".repeat(1_000) });
  });
});
afterEach(() => data[Symbol.dispose]());

const take = (options: { [name: string]: Json }, query = scan("rows")) => page(data.db.beginQuery(), query, options);

function thrownBy(work: () => unknown): unknown {
  try {
    return [work(), "returned"];
  } catch (error) {
    return error;
  }
}

describe("a page", () => {
  test("reports that it is the last one", () => {
    const first = take({ pageSize: 6 });
    expect(first).toMatchObject({ isDone: false });
    expect(first).toMatchObject({ splitCursor: null, pageStatus: null });
    expect(take({ pageSize: 4, cursor: first.continueCursor })).toMatchObject({ isDone: true });
    expect(take({ pageSize: 10 })).toMatchObject({ isDone: true });
    const end = take({ pageSize: 11 }).continueCursor;
    expect(take({ pageSize: 5, cursor: end })).toMatchObject({ page: [], isDone: true, continueCursor: end });
  });

  test("keeps its position if its size is zero", () => {
    const none = take({ pageSize: 0 });
    expect(none).toMatchObject({ page: [], isDone: false });
    expect(names(take({ pageSize: 2, cursor: none.continueCursor }).page)).toEqual([0, 1]);
  });

  test("reports a split cursor when it stops early", () => {
    const filter: Json = { filter: { $eq: [{ $field: "name" }, { $literal: 9 }] } };
    const short = take({ pageSize: 5, maximumRowsRead: 4 }, scan("rows", "asc", [filter]));
    expect(short).toMatchObject({ page: [], isDone: false, pageStatus: "SplitRequired" });
    const half = take({ pageSize: 5, endCursor: short.splitCursor ?? null }, scan("rows", "asc", [filter]));
    expect(half).toMatchObject({ page: [], continueCursor: short.splitCursor });
    expect(take({ pageSize: 5, maximumBytesRead: 2_500 }).page).toHaveLength(3);
  });

  test("recommends a split at more than twice the requested size", () => {
    const { continueCursor } = take({ pageSize: 2 }, scan("rows", "desc"));
    const grown = take({ pageSize: 2, endCursor: continueCursor }, scan("rows", "desc"));
    expect(grown).toMatchObject({ pageStatus: null });
    mutate(data.db, (tx) => {
      for (let i = 10; i < 14; i++) tx.insert("rows", { name: i });
    });
    const larger = take({ pageSize: 2, endCursor: continueCursor }, scan("rows", "desc"));
    expect(names(larger.page)).toEqual([13, 12, 11, 10, 9, 8]);
    expect(larger).toMatchObject({ pageStatus: "SplitRecommended", continueCursor });
    const { splitCursor = null } = larger;
    const upper = take({ pageSize: 2, endCursor: splitCursor }, scan("rows", "desc"));
    const lower = take({ pageSize: 2, cursor: splitCursor, endCursor: continueCursor }, scan("rows", "desc"));
    expect(names([...upper.page, ...lower.page])).toEqual(names(larger.page));
  });

  test("rejects cursors of other queries with InvalidCursor", () => {
    const { continueCursor } = take({ pageSize: 2 });
    for (const cursor of [continueCursor, "nonsense", "", `${continueCursor}A`]) {
      const error = thrownBy(() => take({ pageSize: 2, cursor }, scan("rows", "desc")));
      expect(error).toBeInstanceOf(FunctionError);
      expect(error).toMatchObject({ message: expect.stringContaining("InvalidCursor"), data: { paginationError: "InvalidCursor" } });
    }
  });

  test.each<{ [name: string]: Json }>([
    { pageSize: -1 },
    { pageSize: 1.5 },
    { pageSize: 1, cursor: 1 },
    { pageSize: 1, maximumRowsRead: 0 },
  ])("refuses %j", (options) => {
    expect(() => take(options)).toThrow(/`options\.\w+` must be/);
  });
});
