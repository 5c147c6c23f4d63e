import { formatDate } from "./date-format";
import { useDateSettings } from "./use-date-settings";

export function Day({ at }: { at: number }) {
  const settings = useDateSettings();
  return (
    <time dateTime={new Date(at).toISOString()} lang={settings.locale} dir="auto" suppressHydrationWarning>
      {formatDate(at, "day", settings)}
    </time>
  );
}
