import type { ThreadFilter } from "../optimistic";

export const FILTER = "show";

export const FILTERS: readonly { filter: ThreadFilter; label: string; empty: string }[] = [
  { filter: "open", label: "Open", empty: "Open threads appear here." },
  { filter: "resolved", label: "Resolved", empty: "Resolved threads appear here." },
  { filter: "mine", label: "Mine", empty: "Threads that you started appear here." },
  { filter: "mentions", label: "Mentions", empty: "Threads that mention you appear here." },
  { filter: "all", label: "All", empty: "Threads appear here." },
];

export const MEMBER_FILTERS: readonly ThreadFilter[] = ["mine", "mentions"];

export const filterIn = (search: URLSearchParams): ThreadFilter =>
  FILTERS.find(({ filter }) => filter === search.get(FILTER))?.filter ?? "open";
