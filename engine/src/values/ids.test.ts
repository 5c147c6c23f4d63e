import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { idBytes, idFromBytes, idLength, idRange, newId, tableNumberOf } from "./ids.ts";

const tables = fc.oneof(fc.constantFrom(1, 127, 128, 16_383, 16_384, 2_097_151, 2_097_152, 0xffff_ffff), fc.integer({ min: 1 }));

describe("ids", () => {
  test("contain their table number and their own bytes", () => {
    fc.assert(
      fc.property(tables, fc.uint8Array({ minLength: 16, maxLength: 16 }), (table, bytes) => {
        const id = idFromBytes(table, bytes);
        expect(tableNumberOf(id)).toBe(table);
        expect(idBytes(id)).toEqual(bytes);
        expect(id).toHaveLength(idLength(table));
      }),
    );
  });

  test("sort next to each other within a table", () => {
    fc.assert(
      fc.property(tables, tables, (table, other) => {
        const { lowest, highest } = idRange(table);
        const id = newId(other);
        expect(lowest <= id && id <= highest).toBe(table === other);
      }),
    );
  });

  test("are unique and have 31 to 37 characters of Crockford's alphabet", () => {
    const made = [1, 10_001, 0xffff_ffff].flatMap((table) => Array.from({ length: 300 }, () => newId(table)));
    expect(new Set(made).size).toBe(made.length);
    for (const id of made) expect(id).toMatch(/^[0-9abcdefghjkmnpqrstvwxyz]{31,37}$/);
    expect(newId(10_001)).toMatch(/^j5/);
  });

  test("match a known encoding", () => {
    // fletcher16 over 01 00×16: both sums are 1 after the first byte, then the second grows by one per byte.
    expect(idFromBytes(1, new Uint8Array(16))).toBe("0400000000000000000000000000248");
  });

  test("are invalid with any one character changed", () => {
    fc.assert(
      fc.property(tables, fc.nat(36), fc.constantFrom(...Array.from("0123456789abcdefghjkmnpqrstvwxyzilou-A")), (table, at, character) => {
        const id = newId(table);
        const place = at % id.length;
        fc.pre(id[place] !== character);
        expect(tableNumberOf(id.slice(0, place) + character + id.slice(place + 1))).toBeNull();
      }),
    );
  });

  test.each(["", "abc", "0".repeat(31), "z".repeat(37), "é".repeat(32)])("reject %j", (text) => {
    expect(tableNumberOf(text)).toBeNull();
  });
});

test("start with the time, so that consecutive ids are adjacent", () => {
  const began = Date.now();
  const made = Array.from({ length: 1_000 }, () => newId(7));
  const ended = Date.now();
  while (Date.now() <= ended);
  expect([...made, newId(7)].toSorted().at(-1)).not.toBe(made.toSorted().at(-1));
  const own = made.map((id) => Buffer.from(idBytes(id) ?? []));
  for (const bytes of own) {
    expect(bytes.readUIntBE(0, 6)).toBeGreaterThanOrEqual(began);
    expect(bytes.readUIntBE(0, 6)).toBeLessThanOrEqual(ended);
  }
  expect(new Set(own.map((bytes) => bytes.toString("hex", 6))).size).toBe(1_000);
});
