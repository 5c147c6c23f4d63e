import { useEffect, useState } from "react";

/** A day, like "3 December 2026"; in the visitor's own zone once scripts run, whose zone the server cannot know. */
export function Day({ at }: { at: number }) {
  const [zone, setZone] = useState<string>("UTC");
  useEffect(() => setZone(Intl.DateTimeFormat().resolvedOptions().timeZone), []);
  const text = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: zone }).format(at);
  return <time dateTime={new Date(at).toISOString()}>{text}</time>;
}
