import { useEffect, useState } from "react";

/** Formats "3 December 2026"; in the visitor's time zone once scripts run, because the server does not know it. */
export function Day({ at }: { at: number }) {
  const [zone, setZone] = useState<string>("UTC");
  useEffect(() => setZone(Intl.DateTimeFormat().resolvedOptions().timeZone), []);
  const text = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: zone }).format(at);
  return <time dateTime={new Date(at).toISOString()}>{text}</time>;
}
