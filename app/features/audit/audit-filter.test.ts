import { expect, it } from "vitest";
import { auditFilterOf, filterFieldsIn, filterSearch, logFilterFieldsIn, PERSON_LENGTH } from "./audit-filter";

const fields = (search: string) => filterFieldsIn(new URLSearchParams(search));

it("reads category and days from an address, and ignores unknown values", () => {
  expect(fields("category=sharing&from=2026-11-01&to=2026-11-30")).toEqual({ category: "sharing", from: "2026-11-01", to: "2026-11-30" });
  expect(fields("category=none&from=yesterday&to=2026-99-99")).toEqual({ category: "", from: "", to: "" });
});

it("includes the last day", () => {
  const day = 24 * 60 * 60 * 1000;
  const since = Date.parse("2026-11-26T00:00:00Z");
  expect(auditFilterOf(fields("from=2026-11-26&to=2026-11-26"))).toEqual({ since, until: since + day });
  expect(auditFilterOf(fields(""))).toEqual({});
});

it("writes only set fields into an address", () => {
  expect(filterSearch(fields("category=data"), { format: "csv" })).toBe("category=data&format=csv");
  expect(filterSearch(fields(""))).toBe("");
});

it("cuts a long person before a character that crosses the limit", () => {
  const start = "x".repeat(PERSON_LENGTH - 1);
  expect(logFilterFieldsIn(new URLSearchParams({ person: `${start}😀` })).person).toBe(start);
});
