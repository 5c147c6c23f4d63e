import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const read = (path: string) => readFileSync(ROOT + path, "utf8");

const rows = [...read("docs/faults.md").matchAll(/^\| `([^`]+)`.*\| `([^`]+\.ts)` +\|$/gm)].map(([, says = "", test = ""]) => ({
  says,
  test,
}));

const sources = globSync("app/**/*.{ts,tsx}", { cwd: ROOT })
  .filter((path) => !path.includes(".test."))
  .map(read)
  .join("\n");

it("has the rows of the table", () => expect(rows.length).toBeGreaterThan(15));

it.each(rows)("the app shows “$says”, and $test provokes it", ({ says, test }) => {
  expect(sources).toContain(says);
  expect(read(test.startsWith("app/") ? test : `tests/${test}`)).toContain(says);
});
