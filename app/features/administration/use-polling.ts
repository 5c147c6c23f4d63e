import { useEffect, useEffectEvent } from "react";
import { useRevalidator } from "react-router";

const EVERY_MS = 15_000;

export function usePolling(everyMs = EVERY_MS): void {
  const { revalidate, state } = useRevalidator();
  const reload = useEffectEvent(() => {
    if (document.visibilityState === "visible" && state === "idle") void revalidate();
  });
  useEffect(() => {
    const timer = setInterval(() => reload(), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
}
