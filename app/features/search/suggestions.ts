import { useMemo } from "react";
import { fold } from "#convex/model/search/fold";
import type { Found } from "#convex/search";

const SHOWN = 8;

export function suggestionsFor(
  typed: string,
  { projects, designs, images }: Pick<Found, "projects" | "designs" | "images">,
  tags: string[],
): string[] {
  const text = fold(typed.trim());
  if (text === "") return [];
  const names = [...tags, ...projects.map(({ name }) => name), ...designs.map(({ name }) => name), ...images.map(({ name }) => name)];
  const fitting = names.filter((name) => {
    const folded = fold(name);
    return folded.includes(text) && folded !== text;
  });
  return [...new Set(fitting)].slice(0, SHOWN);
}

export const useSuggestions = (typed: string, found: Found, tags: string[]): string[] =>
  useMemo(() => suggestionsFor(typed, found, tags), [typed, found, tags]);
