import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const root = new URL("../..", import.meta.url).pathname;
const sources = globSync("**/*.{css,tsx}", { cwd: root }).map((path) => ({ path, text: readFileSync(root + path, "utf8") }));

// Scans the sources, because oxlint reads no CSS. Chromium recalculates all elements below `:has()` after each change of the document.
const EVERY_ELEMENT = [/group-has-\[/, /:has\([^{;]*\)\s*[>+~ ]\s*\*/, /:has\([^{;]*\{[^}]*& > \*/];

test("selects no universal descendant of an element with :has()", () => {
  const found = sources.filter(({ text }) => EVERY_ELEMENT.some((pattern) => pattern.test(text))).map(({ path }) => path);
  expect(found).toEqual([]);
});

// One element name after any `:has()` of the root makes Chromium match all elements of that name again.
test("selects no links below :has() by their element name", { tags: "@no-element-name-below-has" }, () => {
  const found = sources.filter(({ text }) => /:has\([^{;]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*[> ]a\s*\{/.test(text)).map(({ path }) => path);
  expect(found).toEqual([]);
});

// After each change, Chromium would recalculate the styles of all elements that use any custom property.
test("sets no custom property of the root", () => {
  const scripts = globSync("**/*.{ts,tsx}", { cwd: root, exclude: ["**/*.test.ts"] });
  const found = scripts.filter((path) => /documentElement[\s\S]*\.style\.setProperty\(/.test(readFileSync(root + path, "utf8")));
  expect(found).toEqual([]);
});
