/** By which two tags are the same, as far as a browser needs to know before the answer (`tagKey` in convex/rules.ts). */
const keyOf = (tag: string) => tag.normalize("NFKC").toLowerCase().trim().replaceAll(/\s+/g, " ");

/** The tags of a thing after these were added, as typed with commas between them; without any undefined, as things tell it. */
export function tagsWith(tags: string[] | undefined, typed: string): string[] | undefined {
  const all = new Map((tags ?? []).map((tag) => [keyOf(tag), tag]));
  for (const tag of typed.split(",")) if (keyOf(tag) !== "" && !all.has(keyOf(tag))) all.set(keyOf(tag), tag.trim());
  return all.size === 0 ? undefined : [...all.values()];
}

/** The tags of a thing after one was taken off. */
export function tagsWithout(tags: string[] | undefined, gone: string): string[] | undefined {
  const left = (tags ?? []).filter((tag) => keyOf(tag) !== keyOf(gone));
  return left.length === 0 ? undefined : left;
}

/** The address of all that has a tag. */
export const tagAddress = (tag: string): string => `/search?${new URLSearchParams({ tag })}`;
