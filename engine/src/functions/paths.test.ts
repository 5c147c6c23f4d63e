import { describe, expect, test } from "vitest";
import { functionHandle, parseFunctionPath, resolveAddress, shownPath } from "./paths.ts";

test.each([
  ["projects:create", { module: "projects", name: "create" }],
  ["projects.js:create", { module: "projects", name: "create" }],
  ["a/b/c:d", { module: "a/b/c", name: "d" }],
  ["projects", { module: "projects", name: "default" }],
  ["projects.js", { module: "projects", name: "default" }],
])("%s", (text, path) => {
  expect(parseFunctionPath(text)).toEqual(path);
});

test.each(["", ":x", "x:", ".js:x"])("rejects %j", (text) => {
  expect(() => parseFunctionPath(text)).toThrow(/Invalid function path/);
  expect(shownPath(text)).toBe(text);
});

describe("addresses", () => {
  const path = { module: "a/b", name: "c" };

  test("accept a name or a handle", () => {
    expect(resolveAddress({ name: "a/b:c" })).toEqual(path);
    expect(resolveAddress({ functionHandle: functionHandle(path) })).toEqual(path);
  });

  test("reject components with their name", () => {
    expect(() => resolveAddress({ reference: "_reference/childComponent/agent/x" })).toThrow(/Components are not offered.*agent/);
    expect(() => resolveAddress({ functionHandle: "function://agent;a.js:b" })).toThrow(/Invalid function handle/);
    expect(() => resolveAddress({ functionHandle: "nonsense" })).toThrow(/Invalid function handle/);
  });
});
