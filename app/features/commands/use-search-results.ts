import { useQueries } from "~/lib/data/use-queries";
import type { FunctionReturnType } from "convex/server";
import { api } from "#convex/_generated/api";
import { useLastDefined } from "~/lib/ui/use-last-defined";
import type { Found } from "#convex/search";

type Offered = Pick<Found, "projects" | "designs" | "images">;
const NOTHING: Offered = { projects: [], designs: [], images: [] };
const LONGEST = 100;

/** Returns live results. While loading, returns the previous results, and after an error none, so that the page still works. */
export function useSearchResults(typed: string): Offered & { tags: string[] } {
  const text = typed.slice(0, LONGEST).toWellFormed().trim();
  const requested: Parameters<typeof useQueries>[0] =
    text === "" ? {} : { found: { query: api.search.find, args: { text } }, tags: { query: api.tags.getTags, args: {} } };
  const { found: answer, tags }: Record<string, unknown> = useQueries(requested);
  const offered = text === "" || answer instanceof Error ? NOTHING : isFound(answer) ? answer : undefined;
  return {
    ...(useLastDefined<Offered>(offered) ?? NOTHING),
    tags: text !== "" && Array.isArray(tags) ? tags.filter((tag) => typeof tag === "string") : [],
  };
}

const isFound = (answer: unknown): answer is Found => typeof answer === "object" && answer !== null && "designs" in answer;

type RecentDesigns = FunctionReturnType<typeof api.designs.getRecent>;

export function useRecentDesigns(): RecentDesigns {
  const { recent }: Record<string, RecentDesigns | Error | undefined> = useQueries(RECENT);
  return recent === undefined || recent instanceof Error ? [] : recent;
}

const RECENT = { recent: { query: api.designs.getRecent, args: { shared: "view" as const } } };
