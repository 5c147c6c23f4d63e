/** Cron expressions in UTC (docs.convex.dev/scheduling/cron-jobs). One matching day field suffices (crontab(5)). Ranges may wrap. */

export type CronExpression = {
  minutes: Set<number>;
  hours: Set<number>;
  months: Set<number>;
  isDay: DayRule;
  isWeekday: DayRule;
  anyDay: boolean;
  anyWeekday: boolean;
};

/** `weekday`: 0 is Sunday; `last`: number of days in the month. */
type DayRule = (date: { day: number; weekday: number; last: number }) => boolean;

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
  return {
    minutes: parseField(minute, 0, 59, text),
    hours: parseField(hour, 0, 23, text),
    months: parseField(month, 1, 12, text, MONTHS, 1),
    isDay: specialDay(day) ?? dayIn(parseField(day, 1, 31, text)),
    isWeekday: specialWeekday(weekday) ?? weekdayIn(parseField(weekday, 0, 7, text, WEEKDAYS, 0, 7)),
    anyDay: isAny(day),
    anyWeekday: isAny(weekday),
  };
}

/** Refuses forms that earlier versions accepted. Stored crons may still have them. @throws {Error} as Convex does */
export function refuseForeignForms(text: string): void {
  const weekday = text.trim().split(/\s+/)[4] ?? "";
  if (!/^\s*@|\?/.test(text) && !/(^|[,-])7($|[,/L#-])/i.test(weekday)) return;
  throw new Error(`Invalid cron expression ${JSON.stringify(text)}: Convex has no @ forms, no ? and no weekday 7.`);
}

const isAny = (field: string): boolean => field === "*" || field === "?";

const dayIn =
  (days: Set<number>): DayRule =>
  ({ day }) =>
    days.has(day);

const weekdayIn =
  (weekdays: Set<number>): DayRule =>
  ({ weekday }) =>
    weekdays.has(weekday) || (weekday === 0 && weekdays.has(7));

/** `L`: the last day; `L-3`: three days before it; `LW`: the last working day; `15W`: the working day nearest to the 15th. */
function specialDay(field: string): DayRule | null {
  const beforeLast = /^L(?:-([1-9]|[12]\d|30))?$/i.exec(field);
  if (beforeLast) return ({ day, last }) => day === last - Number(beforeLast[1] ?? 0);
  if (/^LW$/i.test(field)) return (date) => date.day === nearestWorkingDay(date.last, date);
  const nearest = /^([1-9]|[12]\d|3[01])W$/i.exec(field);
  if (!nearest) return null;
  const target = Number(nearest[1]);
  return (date) => target <= date.last && date.day === nearestWorkingDay(target, date);
}

function nearestWorkingDay(target: number, { day, weekday, last }: Parameters<DayRule>[0]): number {
  const onTarget = (((weekday + target - day) % 7) + 7) % 7;
  if (onTarget === 6) return target === 1 ? 3 : target - 1;
  if (onTarget === 0) return target === last ? target - 2 : target + 1;
  return target;
}

/** `5L`: the month's last Friday; `5#2`: its second. */
function specialWeekday(field: string): DayRule | null {
  const found = /^([0-6]|[a-z]{3})(?:L|#([1-5]))$/i.exec(field);
  if (!found) return null;
  const name = (found[1] ?? "").toLowerCase();
  const target = WEEKDAYS.includes(name) ? WEEKDAYS.indexOf(name) : Number(name);
  if (Number.isNaN(target)) return null;
  const nth = found[2];
  return ({ day, weekday, last }) => weekday === target && (nth === undefined ? day > last - 7 : Math.ceil(day / 7) === Number(nth));
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
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  const at = { day: date.getUTCDate(), weekday: date.getUTCDay(), last };
  if (expression.anyDay) return expression.isWeekday(at);
  if (expression.anyWeekday) return expression.isDay(at);
  return expression.isDay(at) || expression.isWeekday(at);
}
