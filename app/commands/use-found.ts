import { useQueries } from "convex-helpers/react/cache";
import { useEffect, useState } from "react";
import { api } from "#convex/_generated/api";
import type { Found } from "#convex/search";

/** What the palette offers of it. */
type Offered = Pick<Found, "designs" | "images">;
const NOTHING: Offered = { designs: [], images: [] };
/** Longer than this nobody searches; the page of the search says so, and takes more. */
const LONGEST = 100;

/** What a text finds, and the tags that there are, live; until the answer is there, what the last one found. A fault here is no reason to lose the page: nothing is found. */
export function useFound(typed: string): Offered & { tags: string[] } {
  const text = typed.slice(0, LONGEST).toWellFormed().trim();
  const asked: Parameters<typeof useQueries>[0] =
    text === "" ? {} : { found: { query: api.search.find, args: { text } }, tags: { query: api.tags.getTags, args: {} } };
  const { found: answer, tags }: Record<string, unknown> = useQueries(asked);
  const [last, setLast] = useState<Offered>(NOTHING);
  const found = text === "" ? NOTHING : isFound(answer) ? answer : answer instanceof Error ? NOTHING : null;
  useEffect(() => {
    if (found) setLast(found);
  }, [found]);
  return { ...(found ?? last), tags: text !== "" && Array.isArray(tags) ? tags.filter((tag) => typeof tag === "string") : [] };
}

const isFound = (answer: unknown): answer is Found => typeof answer === "object" && answer !== null && "designs" in answer;
