import { useQueries } from "convex-helpers/react/cache";
import { useEffect, useRef } from "react";
import type { PreloadOf } from "~/data/preload";
import { refusalOf } from "~/data/refusals";
import { useLive } from "~/data/use-live";
import { api } from "#convex/_generated/api";
import type { Found } from "#convex/search";

type Finding = {
  found: Found;
  /** What is shown was found by an earlier text: the answer to this one is on its way. */
  behind: boolean;
};

/**
 * What is found by a text, live. The loader's answer stands for the text that it was asked with; for one that has been typed since, the
 * connection is asked, with the last answer standing until it comes. Only the present text is subscribed to, so that an answer to an earlier one
 * can never replace a later.
 */
export function useFind(loaded: PreloadOf<typeof api.search.find>, text: string): Finding {
  const standing = useLive(loaded);
  const isLoaded = text === loaded.args["text"];
  const typed = useQueries(isLoaded ? {} : { typed: { query: api.search.find, args: { text } } })["typed"];
  // A lost session is the loader's own query to notice.
  if (typed instanceof Error && refusalOf(typed)?.code !== "unauthenticated") throw typed;
  const answer: Found | undefined = isLoaded ? standing : typed instanceof Error ? undefined : typed;

  const last = useRef(standing);
  useEffect(() => {
    if (answer !== undefined) last.current = answer;
  }, [answer]);
  return { found: answer ?? last.current, behind: answer === undefined };
}
