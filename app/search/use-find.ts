import { useQueries } from "convex-helpers/react/cache";
import type { FunctionArgs } from "convex/server";
import { useEffect, useRef } from "react";
import type { PreloadOf } from "~/data/preload";
import { refusalOf } from "~/data/refusals";
import { useLive } from "~/data/use-live";
import { api } from "#convex/_generated/api";
import type { Found } from "#convex/search";

type Finding = {
  found: Found;
  /** What is shown was found by an earlier question: the answer to this one is on its way. */
  behind: boolean;
};

/**
 * What is found by a question, live. The loader's answer stands for the one that it was asked; for one that has been typed since, the
 * connection is asked, with the last answer standing until it comes. Only the present one is subscribed to, so that an answer to an earlier one
 * can never replace a later.
 */
export function useFind(loaded: PreloadOf<typeof api.search.find>, args: FunctionArgs<typeof api.search.find>): Finding {
  const standing = useLive(loaded);
  const isLoaded = JSON.stringify(args) === JSON.stringify(loaded.args);
  const typed = useQueries(isLoaded ? {} : { typed: { query: api.search.find, args } })["typed"];
  // A lost session is the loader's own query to notice.
  if (typed instanceof Error && refusalOf(typed)?.code !== "unauthenticated") throw typed;
  const answer: Found | undefined = isLoaded ? standing : typed instanceof Error ? undefined : typed;

  const last = useRef(standing);
  useEffect(() => {
    if (answer !== undefined) last.current = answer;
  }, [answer]);
  return { found: answer ?? last.current, behind: answer === undefined };
}
