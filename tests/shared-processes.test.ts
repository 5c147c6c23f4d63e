import { globSync, readFileSync } from "node:fs";
import { expect, it, onTestFinished, vi } from "vitest";
import config from "../vitest.config.ts";
import { changedNames, processState } from "./harness/process-state.ts";
import { changesProcess, importedBy, sharedFiles } from "./harness/shared-files.ts";

it("unit tests without servers and changes of their process share processes", () => {
  const files = sharedFiles();
  expect(files.length).toBeGreaterThan(150);
  expect(files).toContain("engine/src/values/keys.test.ts");
  expect(files).not.toContain("app/lib/http/files/send-file.test.ts");
  expect(files).not.toContain("tests/adapter/adapter.test.ts");
  expect(files.filter((path) => /^(?:convex|tests\/convex|tests\/faults|engine\/conformance)\//.test(path))).toEqual([]);
});

it.each([
  'vi.mock("./config.ts");',
  "vi.useFakeTimers({ now: 0 });",
  'process.env["TZ"] = "UTC";',
  'process.on("exit", close);',
  "globalThis.fetch = answer;",
  // As one string, it would set the environment of this file.
  ["// @vitest", "environment happy-dom"].join("-"),
])("a test with %s has a process of its own", (source) => {
  expect(changesProcess(source)).toBe(true);
});

it("all projects use the same seed", () => {
  const setups = config.test?.projects?.map((project) => {
    if (typeof project !== "object" || !("test" in project)) throw new Error("Inline projects are expected.");
    return [project.test?.setupFiles ?? config.test?.setupFiles].flat();
  });
  expect(setups?.length).toBe(3);
  for (const files of setups ?? []) expect(files).toContain("tests/harness/chance.ts");
});

it("a test may replace functions and variables that isolate-file.ts restores", () => {
  expect(changesProcess('vi.spyOn(console, "warn"); vi.stubEnv("TZ", "UTC"); vi.stubGlobal("fetch", answer);')).toBe(false);
});

it("detects what a test leaves changed in its process", () => {
  const ignore = () => {};
  const before = processState();
  onTestFinished(() => {
    delete process.env["LEFT_BY_A_TEST"];
    process.off("warning", ignore);
    Reflect.deleteProperty(globalThis, "leftByATest");
  });
  process.env["LEFT_BY_A_TEST"] = "1";
  process.on("warning", ignore);
  Object.assign(globalThis, { leftByATest: 1 });
  vi.spyOn(Math, "random").mockReturnValue(0);
  vi.stubGlobal("Date", class extends Date {});
  expect(changedNames(before, processState()).toSorted()).toEqual([
    "Date",
    "Math.random",
    "leftByATest",
    "listeners of warning",
    "process.env.LEFT_BY_A_TEST",
  ]);
});

it("follows imports and exports of values, but not of types", () => {
  const source = `
import "./one.ts";
import two, { type Two } from "two";
import {
  three,
} from "~/three";
import type { No } from "no";
export * from "./four";
export type { No } from "no";
const five = () => import("five");
`.trim();
  expect(importedBy(source)).toEqual(["./one.ts", "two", "~/three", "./four", "five"]);
});

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
