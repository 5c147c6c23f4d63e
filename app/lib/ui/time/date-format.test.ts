import { expect, it } from "vitest";
import { formatDate, localeFrom, timeZoneFrom } from "./date-format";

const AT = Date.UTC(2026, 11, 3, 23, 30);

it.each([
  ["de-DE,de;q=0.9,en;q=0.8", "de-DE"],
  ["en-US", "en-US"],
  ["fr;q=0.5", "fr"],
  ["*", "en-GB"],
  ["", "en-GB"],
  [null, "en-GB"],
  ["not a locale, de", "en-GB"],
  ["x".repeat(16_000), "en-GB"],
])("takes the locale of %j", (header, locale) => expect(localeFrom(header)).toBe(locale));

it.each([
  ["Asia/Tokyo", "Asia/Tokyo"],
  ["Nowhere/City", null],
  ["<script>", null],
  ["x".repeat(4000), null],
  [null, null],
])("takes the time zone of %j", (value, timeZone) => expect(timeZoneFrom(value)).toBe(timeZone));

it("formats by locale and time zone, and names UTC when the zone is unknown", () => {
  expect(formatDate(AT, "day", { locale: "en-GB", timeZone: "Europe/London" })).toBe("3 Dec 2026");
  expect(formatDate(AT, "day", { locale: "de-DE", timeZone: "Asia/Tokyo" })).toBe("04.12.2026");
  expect(formatDate(AT, "day", { locale: "en-US", timeZone: null })).toBe("Dec 3, 2026 UTC");
  expect(formatDate(AT, "minute", { locale: "en-GB", timeZone: "Europe/London" })).toBe("3 Dec 2026, 23:30");
});
