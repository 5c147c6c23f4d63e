import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const APP = join(import.meta.dirname, "../../..");

function links(): string[] {
  return globSync("**/*.tsx", { cwd: APP }).flatMap((file) => {
    const text = readFileSync(join(APP, file), "utf8");
    return [...text.matchAll(/<(?:Link|NavLink)\s(?:[^{}>]|\{(?:[^{}]|\{[^{}]*\})*\})*>/g)].map(([link]) => `${file}: ${link}`);
  });
}

// Issue 5: links preload on intent. Links with nothing to preload (same page, file) opt out.
it("sets prefetch or reloadDocument on every link", () => {
  expect(links().length).toBeGreaterThan(30);
  expect(links().filter((link) => !/\b(?:prefetch|reloadDocument)\b/.test(link))).toEqual([]);
  expect(links().filter((link) => link.includes('prefetch="intent"')).length).toBeGreaterThan(25);
});
