import { useEffect } from "react";

/**
 * For a page of somebody who is signed in that the browser kept whole when it was left (the back/forward cache), although it says `no-store`, and shows
 * again: it is loaded anew, since whose it is and all that it tells may have changed. Until then nothing of it is seen, from the moment it is left.
 */
export function useReturnedPage(): void {
  useEffect(() => {
    const over = new AbortController();
    const { style } = document.documentElement;
    const leave = ({ persisted }: PageTransitionEvent) => {
      if (persisted) style.visibility = "hidden";
    };
    const come = ({ persisted }: PageTransitionEvent) => {
      if (persisted) location.reload();
    };
    addEventListener("pagehide", leave, { signal: over.signal });
    addEventListener("pageshow", come, { signal: over.signal });
    return () => {
      over.abort();
      style.visibility = "";
    };
  }, []);
}
