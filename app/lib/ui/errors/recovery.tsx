import { useEffect } from "react";
import { useRevalidator } from "react-router";
import { retryDelay } from "~/lib/data/connection/retry-after";
import { RETRY_AFTER_SECONDS } from "~/lib/http/retry-after";
import { isRateLimited, isUnreachable } from "./error-messages";

/** Retries after `Retry-After` or every few seconds, and when the page is online or visible again. Without scripts, it reloads. */
export function Recovery({ error }: { error: unknown }) {
  const passes = isUnreachable(error) || isRateLimited(error);
  const { revalidate, state } = useRevalidator();
  const idle = state === "idle";
  useEffect(() => {
    if (!passes || !idle) return;
    const again = () => document.visibilityState === "visible" && retryDelay() === 0 && void revalidate();
    const controller = new AbortController();
    const timer = setInterval(again, Math.max(RETRY_AFTER_SECONDS * 1000, retryDelay()));
    addEventListener("online", again, { signal: controller.signal });
    document.addEventListener("visibilitychange", again, { signal: controller.signal });
    return () => {
      clearInterval(timer);
      controller.abort();
    };
  }, [passes, idle, revalidate]);

  if (!isUnreachable(error)) return null;
  return (
    <noscript>
      <meta httpEquiv="refresh" content={String(RETRY_AFTER_SECONDS)} />
    </noscript>
  );
}
