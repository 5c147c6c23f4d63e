import { useEffect, useSyncExternalStore } from "react";
import { useRoot } from "~/lib/data/use-root";
import { timeZoneCookie } from "~/lib/ui/theme/preferences";
import type { DateSettings } from "./date-format";

export function useDateSettings(): DateSettings {
  const { locale = "en-GB", timeZone = null } = useRoot() ?? {};
  return { locale, timeZone: useSyncExternalStore(never, browserTimeZone, () => timeZone) };
}

export function useRememberTimeZone(): void {
  const storedTimeZone = useRoot()?.timeZone;
  useEffect(() => {
    const timeZone = browserTimeZone();
    if (storedTimeZone !== undefined && storedTimeZone !== timeZone)
      document.cookie = timeZoneCookie(timeZone, location.protocol === "https:");
  }, [storedTimeZone]);
}

const never = () => () => {};

let timeZoneOfBrowser: string | null = null;
const browserTimeZone = () => (timeZoneOfBrowser ??= Intl.DateTimeFormat().resolvedOptions().timeZone);
