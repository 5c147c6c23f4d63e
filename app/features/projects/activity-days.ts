import { type DateSettings, formatDate } from "~/lib/ui/time/date-format";

export function activityDays<Entry extends { at: number }>(
  entries: readonly Entry[],
  settings: DateSettings,
): { day: string; entries: Entry[] }[] {
  const days: { day: string; entries: Entry[] }[] = [];
  for (const entry of entries) {
    const day = formatDate(entry.at, "day", settings);
    const last = days.at(-1);
    if (last?.day === day) last.entries.push(entry);
    else days.push({ day, entries: [entry] });
  }
  return days;
}
