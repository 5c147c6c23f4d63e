const HOUR_MS = 60 * 60 * 1000;
const MORNING = 8;

/** Returns the next 8:00 after `now` in an IANA time zone, or in UTC if the zone is unknown. */
export function nextMorning(now: number, timeZone = "UTC"): number {
  // Half days, because a day with a change to summer time is shorter.
  for (let at = now; ; at += 12 * HOUR_MS) {
    const morning = morningOf(at, timeZone);
    if (morning > now) return morning;
  }
}

function morningOf(at: number, timeZone: string): number {
  const offset = offsetAt(at, timeZone);
  const day = new Date(at + offset);
  const morning = Date.UTC(day.getUTCFullYear(), day.getUTCMonth(), day.getUTCDate(), MORNING);
  return morning - offsetAt(morning - offset, timeZone);
}

function offsetAt(at: number, timeZone: string): number {
  if (timeZone === "UTC") return 0;
  try {
    const parts = new Intl.DateTimeFormat("en-US", { timeZone, hourCycle: "h23", ...FIELDS }).formatToParts(at);
    const of = (type: keyof typeof FIELDS) => Number(parts.find((part) => part.type === type)?.value);
    const local = Date.UTC(of("year"), of("month") - 1, of("day"), of("hour"), of("minute"), of("second"));
    return Number.isNaN(local) ? 0 : local - Math.floor(at / 1000) * 1000;
  } catch {
    return 0;
  }
}

const FIELDS = { year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric", second: "numeric" } as const;
