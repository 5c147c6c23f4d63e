/** A visitor's locale (BCP 47), and their time zone (IANA) once their browser has named it. */
export type DateSettings = { locale: string; timeZone: string | null };

const DEFAULT_LOCALE = "en-GB";
const LONGEST = 64;

export function localeFrom(acceptLanguage: string | null): string {
  const [first = ""] = (acceptLanguage ?? "").slice(0, LONGEST).split(/[,;]/);
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(first.trim())[0] ?? DEFAULT_LOCALE;
  } catch {
    return DEFAULT_LOCALE;
  }
}

export function timeZoneFrom(value: string | null): string | null {
  if (value === null || value.length > LONGEST) return null;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: value }).resolvedOptions().timeZone;
  } catch {
    return null;
  }
}

/** Formats a day, "3 Dec 2026", or a minute, "3 Dec 2026, 14:05". Without a known time zone the text names UTC. */
export function formatDate(at: number, precision: "day" | "minute", { locale, timeZone }: DateSettings): string {
  const text = formatter(locale, timeZone ?? "UTC", precision).format(at);
  return timeZone === null ? `${text} UTC` : text;
}

let last: { key: string; format: Intl.DateTimeFormat } | null = null;

/** Keeps the last formatter: creating one takes longer than using it, and a page needs one or two. */
function formatter(locale: string, timeZone: string, precision: "day" | "minute"): Intl.DateTimeFormat {
  const key = `${locale} ${timeZone} ${precision}`;
  if (last?.key !== key) {
    const time = precision === "minute" ? ({ timeStyle: "short" } as const) : {};
    last = { key, format: new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeZone, ...time }) };
  }
  return last.format;
}
