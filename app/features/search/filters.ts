import type { FunctionArgs } from "convex/server";
import { isAcceptedType } from "~/features/images/display/accepted-types";
import type { api } from "#convex/_generated/api";
import { isReviewFilter } from "#convex/model/review/statuses";
import { searchText } from "./text";

export type Filters = {
  q: string;
  tag: string;
  kind: string;
  type: string;
  from: string;
  to: string;
  project: string;
  orientation: string;
  size: string;
  colour: string;
  review: string;
};

export const FILTERS = [
  "q",
  "tag",
  "kind",
  "type",
  "from",
  "to",
  "project",
  "orientation",
  "size",
  "colour",
  "review",
] as const satisfies (keyof Filters)[];

export const KINDS = [
  ["project", "Projects"],
  ["design", "Designs"],
  ["image", "Images"],
] as const;
export type Kind = (typeof KINDS)[number][0];

const AFTER = "after";

export function filtersIn(params: URLSearchParams): Filters {
  const of = (name: keyof Filters) => params.get(name) ?? "";
  const [q, tag, kind, type, from, to] = [of("q"), of("tag"), of("kind"), of("type"), of("from"), of("to")];
  return {
    q,
    tag,
    kind,
    type,
    from,
    to,
    project: of("project"),
    orientation: of("orientation"),
    size: of("size"),
    colour: of("colour"),
    review: of("review"),
  };
}

export const afterIn = (params: URLSearchParams): string | null => params.get(AFTER);

export function searchAddress(filters: Filters, after: string | null = null): string {
  const params = new URLSearchParams(FILTERS.map((name) => [name, filters[name]]).filter(([, value]) => value?.trim() !== ""));
  if (after !== null) params.set(AFTER, after);
  return params.size === 0 ? "/search" : `/search?${params}`;
}

export const isFiltered = (filters: Filters) => FILTERS.some((name) => name !== "q" && filters[name].trim() !== "");

export function searchArgs(
  { q, tag, kind, type, from, to, project, review, ...appearance }: Filters,
  after: string | null,
  maxLength: number,
): FunctionArgs<typeof api.search.find> {
  const validKind = KINDS.find(([each]) => each === kind)?.[0];
  const [first, last] = [dayOf(from), dayOf(to)];
  return {
    text: searchText(q, maxLength),
    ...(tag.trim() !== "" && { tag: searchText(tag, maxLength) }),
    ...(validKind && { kind: validKind }),
    ...(isAcceptedType(type) && { type }),
    ...(project.trim() !== "" && { project: project.trim() }),
    ...chosen("orientation", ORIENTATIONS, appearance.orientation),
    ...chosen("size", SIZES, appearance.size),
    ...chosen("colour", COLOURS, appearance.colour),
    ...(isReviewFilter(review) && { review }),
    ...(first !== null && { from: first }),
    ...(last !== null && { to: last + DAY }),
    ...(validKind && after !== null && { after }),
  };
}

export const ORIENTATIONS = [
  ["landscape", "Landscape"],
  ["portrait", "Portrait"],
  ["square", "Square"],
] as const;
export const SIZES = [
  ["small", "Small (under 1 megapixel)"],
  ["medium", "Medium (1 to 8 megapixels)"],
  ["large", "Large (8 megapixels or more)"],
] as const;
export const COLOURS = [
  ["red", "Red"],
  ["orange", "Orange"],
  ["yellow", "Yellow"],
  ["green", "Green"],
  ["blue", "Blue"],
  ["purple", "Purple"],
  ["pink", "Pink"],
  ["black", "Black"],
  ["grey", "Grey"],
  ["white", "White"],
] as const;

function chosen<Name extends string, Value extends string>(
  name: Name,
  choices: readonly (readonly [Value, string])[],
  typed: string,
): { [Each in Name]?: Value } {
  const value = choices.find(([each]) => each === typed)?.[0];
  const choice: { [Each in Name]?: Value } = {};
  if (value !== undefined) choice[name] = value;
  return choice;
}

const DAY = 24 * 60 * 60 * 1000;

function dayOf(text: string): number | null {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : NaN;
  return Number.isNaN(time) ? null : time;
}
