import { useEffect } from "react";
import { useRevalidator } from "react-router";
import { RETRY_AFTER_SECONDS } from "~/http/retry-after";
import { isUnreachable } from "./faults";

/**
 * Stands where a fault is shown that passes by itself: asks again, as often as the server says (`Retry-After`) and once the network is back,
 * so that the page comes without anybody's doing. Without scripts the browser loads it anew.
 */
export function Recovery({ error }: { error: unknown }) {
  const passes = isUnreachable(error);
  const { revalidate, state } = useRevalidator();
  const idle = state === "idle";
  useEffect(() => {
    if (!passes || !idle) return;
    const again = () => document.visibilityState === "visible" && void revalidate();
    const over = new AbortController();
    const timer = setInterval(again, RETRY_AFTER_SECONDS * 1000);
    addEventListener("online", again, { signal: over.signal });
    document.addEventListener("visibilitychange", again, { signal: over.signal });
    return () => {
      clearInterval(timer);
      over.abort();
    };
  }, [passes, idle, revalidate]);

  if (!passes) return null;
  return (
    <noscript>
      <meta httpEquiv="refresh" content={String(RETRY_AFTER_SECONDS)} />
    </noscript>
  );
}
