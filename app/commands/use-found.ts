import { useQueries } from "convex-helpers/react/cache";
import { useEffect, useState } from "react";
import { api } from "#convex/_generated/api";
import type { Found } from "#convex/search";

const NOTHING: Found = { projects: [], designs: [], images: [] };
/** Longer than this nobody searches; the page of the search says so, and takes more. */
const LONGEST = 100;

/** What a text finds, live; until the answer is there, what the last one found. A fault here is no reason to lose the page: nothing is found. */
export function useFound(typed: string): Found {
  const text = typed.slice(0, LONGEST).toWellFormed().trim();
  const answer: unknown = useQueries(text === "" ? {} : { found: { query: api.search.find, args: { text } } })["found"];
  const [last, setLast] = useState(NOTHING);
  const found = text === "" ? NOTHING : isFound(answer) ? answer : answer instanceof Error ? NOTHING : null;
  useEffect(() => {
    if (found) setLast(found);
  }, [found]);
  return found ?? last;
}

const isFound = (answer: unknown): answer is Found => typeof answer === "object" && answer !== null && "designs" in answer;
