import { describe, expect, test } from "vitest";
import { functionHandle, parseFunctionPath, qualifiedPath, resolveAddress, shownPath } from "./paths.ts";

test.each([
  ["projects:create", { component: "", module: "projects", name: "create" }],
  ["projects.js:create", { component: "", module: "projects", name: "create" }],
  ["a/b/c:d", { component: "", module: "a/b/c", name: "d" }],
  ["projects", { component: "", module: "projects", name: "default" }],
  ["projects.js", { component: "", module: "projects", name: "default" }],
])("%s", (text, path) => {
  expect(parseFunctionPath(text)).toEqual(path);
});

test.each(["", ":x", "x:", ".js:x"])("rejects %j", (text) => {
  expect(() => parseFunctionPath(text)).toThrow(/Invalid function path/);
  expect(shownPath(text)).toBe(text);
});

test("a qualified path begins with the component", () => {
  expect(qualifiedPath("a/b.js:c", "outer/inner")).toBe("outer/inner/a/b:c");
  expect(qualifiedPath("a/b.js:c")).toBe("a/b:c");
});

describe("addresses", () => {
  test("accept a name in the caller's component", () => {
    const path = { component: "outer", module: "a/b", name: "c" };
    expect(resolveAddress({ name: "a/b:c" }, "outer")).toEqual({ path, visibility: "any" });
  });

  test.each(["", "outer/inner"])("accept a handle of a function in the component %j", (component) => {
    const path = { component, module: "a/b", name: "c" };
    expect(functionHandle(path)).toBe(`function://${component};a/b.js:c`);
    expect(resolveAddress({ functionHandle: functionHandle(path) }, "other")).toEqual({ path, visibility: "any" });
  });

  test("accept references to public functions of a child", () => {
    expect(resolveAddress({ reference: "_reference/childComponent/inner/a/b/c" }, "outer")).toEqual({
      path: { component: "outer/inner", module: "a/b", name: "c" },
      visibility: "exported",
    });
  });

  test.each(["", "nonsense", "_reference/childComponent/agent", "_reference/childComponent/agent/x"])(
    "reject the reference %j",
    (reference) => {
      expect(() => resolveAddress({ reference }, "")).toThrow("expected components.<component>.<module>.<function>");
    },
  );

  test.each(["nonsense", "function://a", "function://;:b"])("reject the handle %j", (handle) => {
    expect(() => resolveAddress({ functionHandle: handle }, "")).toThrow(/Invalid function/);
  });
});
