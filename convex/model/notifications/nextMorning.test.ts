import { expect, it } from "vitest";
import { nextMorning } from "./nextMorning";

it.each([
  ["2026-11-26T07:00:00Z", undefined, "2026-11-26T08:00:00Z"],
  ["2026-11-26T08:00:00Z", undefined, "2026-11-27T08:00:00Z"],
  ["2026-11-26T06:59:59Z", "Europe/Berlin", "2026-11-26T07:00:00Z"],
  ["2026-11-26T20:00:00Z", "Asia/Tokyo", "2026-11-26T23:00:00Z"],
  ["2026-11-26T12:00:00Z", "America/Los_Angeles", "2026-11-26T16:00:00Z"],
  ["2026-11-26T02:00:00Z", "Asia/Kathmandu", "2026-11-26T02:15:00Z"],
  ["2026-03-28T22:30:00Z", "Europe/Berlin", "2026-03-29T06:00:00Z"],
  ["2026-10-24T21:30:00Z", "Europe/Berlin", "2026-10-25T07:00:00Z"],
  ["2026-11-26T07:00:00Z", "Nowhere/City", "2026-11-26T08:00:00Z"],
])("the morning after %s in %s is %s", (now, timeZone, morning) => {
  expect(new Date(nextMorning(Date.parse(now), timeZone))).toEqual(new Date(morning));
});
