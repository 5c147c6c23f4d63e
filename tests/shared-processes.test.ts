import { globSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

it("tests in convex/ replace no modules, because they share loaded modules", () => {
  const paths = globSync("{convex,tests/convex}/**/*.test.ts");
  expect(paths).toContain("convex/access.test.ts");
  expect(paths.filter((path) => /\bvi\s*\.(?:mock|doMock|hoisted|resetModules)\b/.test(readFileSync(path, "utf8")))).toEqual([]);
});

it("tests that read ended calls start a new deployment", () => {
  const reading = globSync("convex/**/*.test.ts").filter((path) =>
    /\bscheduledCalls\b|api\.admin\.jobs\b/.test(readFileSync(path, "utf8")),
  );
  expect(reading).toContain("convex/admin/jobs.test.ts");
  expect(reading.filter((path) => /each\(backends\)/.test(readFileSync(path, "utf8")))).toEqual([]);
});
