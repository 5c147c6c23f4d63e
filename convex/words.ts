/**
 * The words by which a thing is found, as one text beside it, since a search index knows one field. Whatever changes a part writes it anew, in
 * the same mutation.
 */

type Told = { name: string; description?: string | undefined; caption?: string | undefined; tags?: string[] | undefined };

export function searchWords({ name, description = "", caption = "", tags = [] }: Told): string {
  return [name, description, caption, ...tags].filter((part) => part !== "").join("\n");
}

/** Letters, digits and their marks make words, as they do for the search index. */
const BETWEEN = /[^\p{L}\p{N}\p{M}\p{Co}]+/u;

const partsOf = (text: string) => text.toLowerCase().split(BETWEEN).filter(Boolean);

/** Whether any of the words asked for is there, the last of them perhaps only begun: as the search index answers. */
export function hasAnyWord(text: string, asked: string): boolean {
  const there = new Set(partsOf(text));
  const words = partsOf(asked);
  const begun = words.at(-1);
  return words.some((word) => there.has(word)) || (begun !== undefined && [...there].some((word) => word.startsWith(begun)));
}
