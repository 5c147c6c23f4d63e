import { expect, it } from "vitest";
import { activityDays } from "./activity-days";

it("groups entries by the days of the visitor's time zone", () => {
  const at = (iso: string) => ({ at: Date.parse(iso) });
  const entries = [at("2026-01-02T00:30:00Z"), at("2026-01-01T23:30:00Z"), at("2026-01-01T01:00:00Z")];
  const sizes = (timeZone: string) =>
    activityDays(entries, { locale: "en-GB", timeZone }).map(({ day, entries: { length } }) => [day, length]);
  expect(sizes("Europe/Berlin")).toEqual([
    ["2 Jan 2026", 2],
    ["1 Jan 2026", 1],
  ]);
  expect(sizes("UTC")).toEqual([
    ["2 Jan 2026", 1],
    ["1 Jan 2026", 2],
  ]);
});
