import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const APP = join(import.meta.dirname, "..");

/** Each link of the app's components, as it stands in its file: from its name to the end of its attributes. */
function links(): string[] {
  return globSync("**/*.tsx", { cwd: APP }).flatMap((file) => {
    const text = readFileSync(join(APP, file), "utf8");
    return [...text.matchAll(/<(?:Link|NavLink)\s(?:[^{}>]|\{(?:[^{}]|\{[^{}]*\})*\})*>/g)].map(([link]) => `${file}: ${link}`);
  });
}

// Issue 5: links preload on intent. Where nothing is to be had ahead (a state of the same page, a file) they say so.
it("every link says whether what it leads to is fetched ahead", () => {
  expect(links().length).toBeGreaterThan(30);
  expect(links().filter((link) => !/\b(?:prefetch|reloadDocument)\b/.test(link))).toEqual([]);
  expect(links().filter((link) => link.includes('prefetch="intent"')).length).toBeGreaterThan(25);
});
