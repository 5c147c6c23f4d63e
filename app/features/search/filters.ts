import type { FunctionArgs } from "convex/server";
import { isAcceptedType } from "~/features/images/display/accepted-types";
import type { api } from "#convex/_generated/api";
import { searchText } from "./text";

export type Filters = {
  q: string;
  tag: string;
  kind: string;
  type: string;
  /** YYYY-MM-DD, inclusive. */
  from: string;
  to: string;
};

export const FILTERS = ["q", "tag", "kind", "type", "from", "to"] as const satisfies (keyof Filters)[];

export const KINDS = [
  ["project", "Projects"],
  ["design", "Designs"],
  ["image", "Images"],
] as const;
export type Kind = (typeof KINDS)[number][0];

const AFTER = "after";

export function filtersIn(params: URLSearchParams): Filters {
  const of = (name: keyof Filters) => params.get(name) ?? "";
  return { q: of("q"), tag: of("tag"), kind: of("kind"), type: of("type"), from: of("from"), to: of("to") };
}

export const afterIn = (params: URLSearchParams): string | null => params.get(AFTER);

export function searchAddress(filters: Filters, after: string | null = null): string {
  const params = new URLSearchParams(FILTERS.map((name) => [name, filters[name]]).filter(([, value]) => value?.trim() !== ""));
  if (after !== null) params.set(AFTER, after);
  return params.size === 0 ? "/search" : `/search?${params}`;
}

export const isFiltered = (filters: Filters) => FILTERS.some((name) => name !== "q" && filters[name].trim() !== "");

export function searchArgs(
  { q, tag, kind, type, from, to }: Filters,
  after: string | null,
  maxLength: number,
): FunctionArgs<typeof api.search.find> {
  const known = KINDS.find(([each]) => each === kind)?.[0];
  const [first, last] = [dayOf(from), dayOf(to)];
  return {
    text: searchText(q, maxLength),
    ...(tag.trim() !== "" && { tag: searchText(tag, maxLength) }),
    ...(known && { kind: known }),
    ...(isAcceptedType(type) && { type }),
    ...(first !== null && { from: first }),
    ...(last !== null && { to: last + DAY }),
    ...(known && after !== null && { after }),
  };
}

const DAY = 24 * 60 * 60 * 1000;

/** Uses UTC, because the server may not have the visitor's time zone. */
function dayOf(text: string): number | null {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : NaN;
  return Number.isNaN(time) ? null : time;
}
