import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { citedTests, expectTests } from "./test-ids.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const read = (path: string) => readFileSync(ROOT + path, "utf8");

const rows = read("docs/faults.md")
  .split("\n")
  .flatMap((line) => citedTests(line).map(([test, id]) => ({ text: /^\| `([^`]+)`/.exec(line)?.[1] ?? "", test, id })));

const sources = globSync("app/**/*.{ts,tsx}", { cwd: ROOT })
  .filter((path) => !path.includes(".test."))
  .map(read)
  .join("\n");

it("finds the rows of docs/faults.md", () => expect(rows.length).toBeGreaterThan(15));

it.each(rows)("the app shows “$text”, and $id provokes it", ({ text, test, id }) => {
  expect(sources).toContain(text);
  expectTests([[test, id]]);
  expect(read(test)).toContain(text);
});
