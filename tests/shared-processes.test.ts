import { globSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

it("tests in convex/ replace no modules, because they share loaded modules", () => {
  const paths = globSync("convex/**/*.test.ts");
  expect(paths).toContain("convex/access.test.ts");
  expect(paths.filter((path) => /\bvi\s*\.(?:mock|doMock|hoisted|resetModules)\b/.test(readFileSync(path, "utf8")))).toEqual([]);
});
