import { anything, array, assert, dictionary, property, string } from "fast-check";
import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import { isPlainData, sameData } from "./deduplicate-data";

const none = { one: [], other: [] };
const plain = anything({ withBigInt: true, withDate: false, withNullPrototype: false }).filter(isPlainData);

describe("the data of two requests", () => {
  it("is the same if and only if every value is equal", () => {
    assert(
      property(plain, plain, (one, other) => {
        expect(sameData(one, structuredClone(one), none)).toBe(true);
        expect(sameData(one, other, none)).toBe(isDeepStrictEqual(one, other));
      }),
    );
  });

  it("differs when a single nested value differs", () => {
    const deep = dictionary(string(), array(dictionary(string(), string()), { minLength: 1 }), { minKeys: 1 });
    assert(
      property(deep, string({ minLength: 1 }), string(), (data, more, letters) => {
        const name = `name ${letters}`;
        const other = structuredClone(data);
        const list = Object.values(other)[0] ?? [];
        const item = list.at(-1) ?? {};
        item[name] = (Object.hasOwn(item, name) ? item[name] : "") + more;
        expect(sameData(data, other, none)).toBe(false);
        expect(sameData(other, data, none)).toBe(false);
      }),
    );
  });

  it("differs when a value is missing, empty or of another type", () => {
    const all: unknown[] = [
      {},
      { a: undefined },
      { a: null },
      { b: undefined },
      [],
      [undefined],
      [null],
      null,
      undefined,
      0,
      -0,
      "0",
      Number.NaN,
      false,
      "",
    ];
    for (const [at, one] of all.entries())
      for (const [place, other] of all.entries()) expect(sameData(one, other, none)).toBe(at === place);
  });

  it("ignores the timestamp of a query's answer and nothing else", () => {
    const preload = { query: "projects:getProjects", args: {}, ts: "one", value: [{ name: "A", ts: "one" }] };
    expect(sameData({ preload }, { preload: { ...preload, ts: "other" } }, none)).toBe(true);
    expect(sameData({ preload }, { preload: { ...preload, value: [{ name: "B", ts: "one" }] } }, none)).toBe(false);
    expect(sameData({ preload }, { preload: { ...preload, value: [{ name: "A", ts: "other" }] } }, none)).toBe(false);
    expect(sameData({ preload }, { preload: { ...preload, ts: "other", more: 1 } }, none)).toBe(false);
    expect(sameData({ ts: "one" }, { ts: "other" }, none)).toBe(false);
  });

  it("allows single-use values that differ at the same positions", () => {
    const once = { one: ["a1", "b1"], other: ["a2", "b2"] };
    expect(sameData({ x: "a1", y: "b1" }, { x: "a2", y: "b2" }, once)).toBe(true);
    expect(sameData({ x: "a1", y: "b1" }, { x: "b2", y: "a2" }, once)).toBe(false);
    expect(sameData({ x: "a1" }, { x: "a1" }, once)).toBe(false);
    expect(sameData({ x: "a1" }, { x: "c" }, once)).toBe(false);
  });

  it("never treats non-plain objects as equal", () => {
    const later = () => ({ later: Promise.resolve(1), when: new Date(0), map: new Map() });
    for (const name of ["later", "when", "map"] as const) {
      expect(isPlainData({ deep: [later()[name]] })).toBe(false);
      expect(sameData(later()[name], later()[name], none)).toBe(false);
    }
    expect(isPlainData([() => {}])).toBe(false);
    expect(isPlainData([Symbol("some")])).toBe(false);
  });
});
