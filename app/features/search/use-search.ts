import { useQueries } from "~/lib/data/use-queries";
import type { FunctionArgs } from "convex/server";
import { useEffect, useRef } from "react";
import type { PreloadOf } from "~/lib/data/preload";
import { refusalOf } from "~/lib/data/error-responses";
import { useLive } from "~/lib/data/use-live";
import { api } from "#convex/_generated/api";
import type { Found } from "#convex/search";

type Finding = {
  found: Found;
  behind: boolean;
};

export function useSearch(loaded: PreloadOf<typeof api.search.find>, args: FunctionArgs<typeof api.search.find>): Finding {
  const loadedResult = useLive(loaded);
  const isLoaded = JSON.stringify(args) === JSON.stringify(loaded.args);
  const typed = useQueries(isLoaded ? {} : { typed: { query: api.search.find, args } })["typed"];
  // The loader's own query handles a lost session.
  if (typed instanceof Error && refusalOf(typed)?.code !== "unauthenticated") throw typed;
  const answer: Found | undefined = isLoaded ? loadedResult : typed instanceof Error ? undefined : typed;

  const last = useRef(loadedResult);
  useEffect(() => {
    if (answer !== undefined) last.current = answer;
  }, [answer]);
  return { found: answer ?? last.current, behind: answer === undefined };
}
