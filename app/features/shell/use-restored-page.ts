import { useEffect } from "react";

/** Hides and reloads a page from the back/forward cache, which may ignore `no-store`: user and data may have changed. */
export function useRestoredPage(): void {
  useEffect(() => {
    const controller = new AbortController();
    const { style } = document.documentElement;
    const leave = ({ persisted }: PageTransitionEvent) => {
      if (persisted) style.visibility = "hidden";
    };
    const onPageShow = ({ persisted }: PageTransitionEvent) => {
      if (persisted) location.reload();
    };
    addEventListener("pagehide", leave, { signal: controller.signal });
    addEventListener("pageshow", onPageShow, { signal: controller.signal });
    return () => {
      controller.abort();
      style.visibility = "";
    };
  }, []);
}
