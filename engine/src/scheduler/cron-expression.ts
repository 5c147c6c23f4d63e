/** UTC (docs.convex.dev/scheduling/cron-jobs). Either day suffices (crontab(5)); ranges may wrap; `L-3`: the month's last day minus 3. */

export type CronExpression = {
  minutes: Set<number>;
  hours: Set<number>;
  days: Set<number>;
  /** 0 is the month's last day. */
  daysBeforeLast: number | null;
  months: Set<number>;
  weekdays: Set<number>;
  anyDay: boolean;
  anyWeekday: boolean;
};

const SHORTHANDS: Record<string, string> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};
const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const DAY_MS = 86_400_000;
/** 29 February can be eight years away. */
const HORIZON_DAYS = 366 * 8 + 2;

export function parseCronExpression(text: string): CronExpression {
  const fields = (SHORTHANDS[text.trim().toLowerCase()] ?? text).trim().split(/\s+/);
  const [minute, hour, day, month, weekday] = fields;
  if (
    fields.length !== 5 ||
    minute === undefined ||
    hour === undefined ||
    day === undefined ||
    month === undefined ||
    weekday === undefined
  ) {
    throw new Error(`Invalid cron expression ${JSON.stringify(text)}: expected five fields.`);
  }
  const daysBeforeLast = parseDaysBeforeLast(day);
  return {
    minutes: parseField(minute, 0, 59, text),
    hours: parseField(hour, 0, 23, text),
    days: daysBeforeLast === null ? parseField(day, 1, 31, text) : new Set(),
    daysBeforeLast,
    months: parseField(month, 1, 12, text, MONTHS, 1),
    weekdays: new Set([...parseField(weekday, 0, 7, text, WEEKDAYS, 0, 7)].map((value) => value % 7)),
    anyDay: isAny(day),
    anyWeekday: isAny(weekday),
  };
}

const isAny = (field: string): boolean => field === "*" || field === "?";

function parseDaysBeforeLast(field: string): number | null {
  const offset = /^L(?:-([1-9]|[12]\d|30))?$/i.exec(field);
  return offset && Number(offset[1] ?? 0);
}

/** @param cycle number of values after which a wrapped range repeats */
function parseField(
  field: string,
  min: number,
  max: number,
  whole: string,
  names: string[] = [],
  firstName = 0,
  cycle = max - min + 1,
): Set<number> {
  const wrong = (): Error => new Error(`Invalid cron expression ${JSON.stringify(whole)}: cannot read ${JSON.stringify(field)}.`);
  const number = (text: string): number => {
    const named = names.indexOf(text.toLowerCase());
    const value = named === -1 ? Number(text) : named + firstName;
    if (text === "" || !Number.isInteger(value) || value < min || value > max) throw wrong();
    return value;
  };
  const values = new Set<number>();
  for (const part of field.split(",")) {
    const [range = "", stepText, ...rest] = part.split("/");
    const step = stepText === undefined ? 1 : Number(stepText);
    if (rest.length > 0 || !Number.isInteger(step) || step < 1) throw wrong();
    const [from = "", to, ...more] = range.split("-");
    if (more.length > 0) throw wrong();
    const low = isAny(range) ? min : number(from);
    const high = isAny(range) ? max : to === undefined ? (stepText === undefined ? low : max) : number(to);
    const last = low > high ? high + cycle : high;
    for (let value = low; value <= last; value += step) values.add(value > max ? value - cycle : value);
  }
  return values;
}

export function nextMatch(expression: CronExpression, after: number): number {
  const start = Math.floor(after / 60_000) * 60_000 + 60_000;
  const firstDay = Math.floor(start / DAY_MS) * DAY_MS;
  const hours = [...expression.hours].toSorted((a, b) => a - b);
  const minutes = [...expression.minutes].toSorted((a, b) => a - b);
  for (let offset = 0; offset < HORIZON_DAYS; offset++) {
    const day = firstDay + offset * DAY_MS;
    if (!matchesDay(expression, new Date(day))) continue;
    for (const hour of hours) {
      for (const minute of minutes) {
        const time = day + hour * 3_600_000 + minute * 60_000;
        if (time >= start) return time;
      }
    }
  }
  throw new Error("The cron expression matches no date.");
}

function matchesDay(expression: CronExpression, date: Date): boolean {
  if (!expression.months.has(date.getUTCMonth() + 1)) return false;
  const inMonth = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  const day =
    expression.daysBeforeLast !== null ? date.getUTCDate() === inMonth - expression.daysBeforeLast : expression.days.has(date.getUTCDate());
  const weekday = expression.weekdays.has(date.getUTCDay());
  if (expression.anyDay) return weekday;
  if (expression.anyWeekday) return day;
  return day || weekday;
}
