import { foldTag } from "#convex/model/search/fold";

export function tagsWith(tags: string[] | undefined, typed: string): string[] | undefined {
  const all = new Map((tags ?? []).map((tag) => [foldTag(tag), tag]));
  for (const tag of typed.split(",")) if (foldTag(tag) !== "" && !all.has(foldTag(tag))) all.set(foldTag(tag), tag.trim());
  return all.size === 0 ? undefined : [...all.values()];
}

export function tagsWithout(tags: string[] | undefined, removed: string): string[] | undefined {
  const remaining = (tags ?? []).filter((tag) => foldTag(tag) !== foldTag(removed));
  return remaining.length === 0 ? undefined : remaining;
}

export const tagAddress = (tag: string): string => `/search?${new URLSearchParams({ tag })}`;
