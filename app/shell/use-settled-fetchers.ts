import { useEffect } from "react";
import { useFetchers, useNavigation, useRevalidator } from "react-router";

/**
 * Ends what React Router 8.4 forgets: where one form leads on, and another is answered before the next page is there, the answer of the second
 * completes the navigation, and the form that led there counts as on its way until the next one. Its button would stay busy, and leaving the page
 * would ask whether to. Any load of the routes ends it; should it begin during a navigation after all, it takes that on.
 */
export function useSettledFetchers(): void {
  const navigating = useNavigation().state !== "idle";
  const { state, revalidate } = useRevalidator();
  const fetchers = useFetchers();
  // Sent, and without an answer of its own, as where it led on; yet nothing leads anywhere.
  const forgotten = fetchers.some((each) => each.state === "loading" && each.formMethod !== undefined && each.data === undefined);
  const over = forgotten && !navigating && state === "idle";
  useEffect(() => {
    if (!over) return;
    // A form that has just been answered begins to lead on before this.
    const later = setTimeout(() => void revalidate());
    return () => clearTimeout(later);
  }, [over, revalidate]);
}
