import { expect, test } from "vitest";
import { filtersIn, isFiltered, searchArgs, searchAddress } from "./filters";

const requested = (address: string) => searchArgs(filtersIn(new URLSearchParams(address)), new URLSearchParams(address).get("after"), 50);

test("writes only set filters into the address", () => {
  const address = "?q=a+b&tag=two+words&kind=image&type=image%2Fpng&from=2026-01-31&to=2026-01-31";
  const filters = filtersIn(new URLSearchParams(address));
  expect(searchAddress(filters)).toBe(`/search${address}`);
  expect(searchAddress(filters, "12")).toBe(`/search${address}&after=12`);
  expect(searchAddress(filtersIn(new URLSearchParams("?q=+&other=x")))).toBe("/search");
  expect([isFiltered(filters), isFiltered(filtersIn(new URLSearchParams("?q=a")))]).toEqual([true, false]);
});

test("covers whole days, from the start of the first to the end of the last", () => {
  const day = Date.UTC(2026, 0, 31);
  expect(requested("?from=2026-01-31&to=2026-01-31")).toEqual({ text: "", from: day, to: day + 24 * 60 * 60 * 1000 });
});

test("ignores invalid filters, and a cursor without a kind", () => {
  expect(requested("?q=x&kind=users&type=text/html&from=yesterday&to=2026-99-99&tag=+&after=3")).toEqual({ text: "x" });
  expect([requested("?review=approved"), requested("?review=done")]).toEqual([{ text: "", review: "approved" }, { text: "" }]);
  expect(requested("?kind=design&after=3")).toEqual({ text: "", kind: "design", after: "3" });
  expect(requested(`?q=${"x".repeat(60)}`)).toEqual({ text: "x".repeat(50) });
});
