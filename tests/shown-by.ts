import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";

/** A test by its file and its title, as the file has it: the test's own, or a row of its table. */
export type ShownBy = [file: string, title: string];

const root = fileURLToPath(new URL("..", import.meta.url));
const sources = new Map<string, string>();

/** The text of one of the project's files. */
export function sourceOf(file: string): string {
  const source = sources.get(file) ?? readFileSync(root + file, "utf8");
  sources.set(file, source);
  return source;
}

/** That these tests are there, and are not skipped: a table of what they show fails once one is renamed, removed or left out. */
export function expectShown(shownBy: ShownBy[]): void {
  expect(shownBy.length).toBeGreaterThan(0);
  for (const [file, title] of shownBy) {
    const source = sourceOf(file);
    const at = ['"', "'", "`"].map((quote) => source.indexOf(quote + title)).find((place) => place >= 0) ?? -1;
    expect(at, `${file} has a test “${title}”`).toBeGreaterThanOrEqual(0);
    expect(source.slice(Math.max(0, at - 40), at)).not.toMatch(/\.(skip|fixme|todo)\b/);
  }
}
