import { globSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { parseSync } from "vite";
import { expect, it } from "vitest";

const THREAD = /startThread\([^()]*new URL\("(\.\/[^"]+)"|new Worker\(new URL\("(\.\/[^"]+)"/g;

function threadEntries(): string[] {
  return globSync("{engine/src,server,app}/**/*.ts", { exclude: (name) => name.endsWith(".test.ts") }).flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(THREAD)].map(([, started, own]) => resolve(dirname(file), started ?? own ?? "")),
  );
}

function awaitsAtTop(node: unknown): boolean {
  if (Array.isArray(node)) return node.some(awaitsAtTop);
  if (typeof node !== "object" || node === null) return false;
  const { type } = node as { type?: string };
  if (type === "AwaitExpression" || (type === "ForOfStatement" && "await" in node && node.await === true)) return true;
  if (type?.includes("Function")) return false;
  return Object.values(node).some(awaitsAtTop);
}

function collect(file: string, found: Map<string, boolean>): Map<string, boolean> {
  if (found.has(file)) return found;
  const { program, module } = parseSync(file, readFileSync(file, "utf8"));
  found.set(file, awaitsAtTop(program.body));
  for (const { moduleRequest, entries } of module.staticImports) {
    const isTypeOnly = entries.length > 0 && entries.every(({ isType }) => isType);
    if (moduleRequest.value.startsWith(".") && !isTypeOnly) collect(resolve(dirname(file), moduleRequest.value), found);
  }
  return found;
}

// V8 ends the process when a thread is terminated while a module awaits.
it("no module that a thread loads awaits at its top level", () => {
  const entries = threadEntries();
  expect(entries.length).toBeGreaterThanOrEqual(6);
  const modules = new Map<string, boolean>();
  for (const entry of entries) collect(entry, modules);
  expect(modules.size).toBeGreaterThan(100);
  expect([...modules].filter(([, awaits]) => awaits).map(([file]) => file)).toEqual([]);
});
