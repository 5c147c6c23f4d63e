import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { citedTests, expectTests, idsIn, testIds } from "./test-ids.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));

it("gives each test id to one test", () => {
  const ids = [...testIds()];
  expect(ids.length).toBeGreaterThan(200);
  expect(ids.filter(([, files]) => files.length > 1)).toEqual([]);
});

it("finds every test that a document cites", () => {
  expectTests(globSync("{docs/**/,}*.md", { cwd: ROOT }).flatMap((path) => citedTests(readFileSync(ROOT + path, "utf8"))));
});

it("reads ids from options and tables, but not from skipped tests", () => {
  const source = `
    test("a", { tag: "@one" }, () => {});
    it.each(rows)("b", { tags: "@two" }, () => {});
    test.skip("c", { tag: "@three" }, () => {});
    describe("d", { tag: ["@four", ...more] }, () => {});`;
  expect(idsIn(source)).toEqual(["@one", "@two", "@four"]);
});
