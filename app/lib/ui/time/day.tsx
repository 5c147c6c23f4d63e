import { formatDate } from "./date-format";
import { useDateSettings } from "./use-date-settings";

export function CalendarDay({ on }: { on: string }) {
  const { locale } = useDateSettings();
  return (
    <time dateTime={on} lang={locale} dir="auto" suppressHydrationWarning>
      {formatDate(Date.parse(on), "day", { locale, timeZone: "UTC" })}
    </time>
  );
}

export function Day({ at }: { at: number }) {
  const settings = useDateSettings();
  return (
    <time dateTime={new Date(at).toISOString()} lang={settings.locale} dir="auto" suppressHydrationWarning>
      {formatDate(at, "day", settings)}
    </time>
  );
}
