import { expect, test } from "vitest";
import { filtersIn, isFiltered, questionOf, searchAddress } from "./filters";

const asked = (address: string) => questionOf(filtersIn(new URLSearchParams(address)), new URLSearchParams(address).get("after"), 50);

test("an address says all that is asked for, and nothing else", () => {
  const address = "?q=a+b&tag=two+words&kind=image&type=image%2Fpng&from=2026-01-31&to=2026-01-31";
  const filters = filtersIn(new URLSearchParams(address));
  expect(searchAddress(filters)).toBe(`/search${address}`);
  expect(searchAddress(filters, "12")).toBe(`/search${address}&after=12`);
  expect(searchAddress(filtersIn(new URLSearchParams("?q=+&other=x")))).toBe("/search");
  expect([isFiltered(filters), isFiltered(filtersIn(new URLSearchParams("?q=a")))]).toEqual([true, false]);
});

test("days are whole ones, from the beginning of the first to the end of the last", () => {
  const day = Date.UTC(2026, 0, 31);
  expect(asked("?from=2026-01-31&to=2026-01-31")).toEqual({ text: "", from: day, to: day + 24 * 60 * 60 * 1000 });
});

test("what makes no sense is not asked for, and a page only of one kind", () => {
  expect(asked("?q=x&kind=users&type=text/html&from=yesterday&to=2026-99-99&tag=+&after=3")).toEqual({ text: "x" });
  expect(asked("?kind=design&after=3")).toEqual({ text: "", kind: "design", after: "3" });
  expect(asked(`?q=${"x".repeat(60)}`)).toEqual({ text: "x".repeat(50) });
});
