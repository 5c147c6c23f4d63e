import { use, useEffect, useState } from "react";
import { ClockContext } from "./clock";
import { formatDate } from "./date-format";
import { useDateSettings } from "./use-date-settings";

export function RelativeTime({ at }: { at: number }) {
  const [now, setNow] = useState<number | null>(null);
  useEffect(() => {
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 30_000);
    return () => clearInterval(timer);
  }, []);

  const settings = useDateSettings();
  const clock = use(ClockContext);
  clock?.changesAt(changeAfter(at, clock.now));
  // The clocks of server and browser differ, so hydration keeps the server's text.
  return (
    <time dateTime={secondOf(at)} title={now === null ? undefined : formatDate(at, "minute", settings)} suppressHydrationWarning>
      {relativeTimeText(at, now ?? clock?.now ?? Date.now())}
    </time>
  );
}

const secondOf = (at: number) => `${new Date(at).toISOString().slice(0, 19)}Z`;

const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 31_557_600_000],
  ["month", 2_629_800_000],
  ["week", 604_800_000],
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
];
const formatter = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

export function relativeTimeText(at: number, now: number): string {
  const passed = Math.max(0, now - at);
  for (const [unit, length] of units) if (passed >= length) return formatter.format(-Math.floor(passed / length), unit);
  return "just now";
}

export function changeAfter(at: number, now: number): number {
  const passed = Math.max(0, now - at);
  const [, length] = units.find(([, unit]) => passed >= unit) ?? ["minute", 60_000];
  const greater = units.map(([, unit]) => unit).filter((unit) => unit > passed);
  return at + Math.min((Math.floor(passed / length) + 1) * length, ...greater);
}
