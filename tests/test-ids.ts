import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";

export type CitedTest = [file: string, id: string];

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const TAG = /\btags?: \[?"(?!@slow")(@[a-z0-9-]+)"/g;
const CITATION = /`([\w./-]+\.(?:test|spec)\.tsx?)` \((@[a-z0-9-]+(?:, @[a-z0-9-]+)*)\)/g;
const TEST_CALL = /\b(?:describe|it|test)\b[.\w]*\(/g;
const SKIPPED = /\.(?:skip|fixme|todo)\b/;

/** Returns the citations in a Markdown text: `file` (@id, @other-id), possibly over several lines. */
export function citedTests(text: string): CitedTest[] {
  return [...text.replaceAll(/\s+/g, " ").matchAll(CITATION)].flatMap(([, file = "", ids = ""]) =>
    ids.split(", ").map((id): CitedTest => [file, id]),
  );
}

/** Returns the files that define each id, one entry per definition. A skipped test defines none. */
export function testIds(): Map<string, string[]> {
  const ids = new Map<string, string[]>();
  const files = globSync("{app,bench,convex,engine,server,tests}/**/*.{test,spec}.{ts,tsx}", {
    cwd: ROOT,
    exclude: (path) => path.includes("node_modules"),
  });
  for (const file of files) {
    for (const id of idsIn(readFileSync(ROOT + file, "utf8"))) ids.set(id, [...(ids.get(id) ?? []), file]);
  }
  return ids;
}

export function idsIn(source: string): string[] {
  const calls = [...source.matchAll(TEST_CALL)];
  return [...source.matchAll(TAG)].flatMap(({ 1: id = "", index }) => {
    const call = calls.findLast((each) => each.index < index);
    return call && SKIPPED.test(call[0]) ? [] : [id];
  });
}

let known: Map<string, string[]> | undefined;

export function expectTests(cited: CitedTest[]): void {
  known ??= testIds();
  expect(cited.length).toBeGreaterThan(0);
  for (const [file, id] of cited) expect(known.get(id), `${id} is the id of one test, in ${file}`).toEqual([file]);
}
