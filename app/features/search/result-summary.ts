import { count } from "~/lib/ui/count";
import { isolate } from "~/lib/ui/isolate";
import type { Found } from "#convex/search";

export function resultSummary(text: string, filtered: boolean, { projects, designs, images, more, next }: Found): string {
  const kinds = [
    projects.length > 0 && count(projects.length, "project"),
    designs.length > 0 && count(designs.length, "design"),
    images.length > 0 && count(images.length, "image"),
  ].filter((each) => each !== false);
  if (kinds.length > 0) return `${new Intl.ListFormat("en-GB").format(kinds)}${more.length > 0 || next !== null ? ", and more" : ""}.`;
  if (text === "" && !filtered) {
    return "Search the names, descriptions, captions and tags of projects, designs and images. The last word can be incomplete.";
  }
  if (more.length > 0 || next !== null) return "No results in the first 1,000 items. Open the next page to search more.";
  return filtered ? "No results match all filters." : `No results for “${isolate(text)}”.`;
}
