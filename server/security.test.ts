import { access, glob, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../", import.meta.url));

it("every file that docs/security.md names as proof is there", async () => {
  const text = await readFile(new URL("../docs/security.md", import.meta.url), "utf8");
  const named = new Set(
    [...text.matchAll(/`((?:app|bench|convex|docs|engine|server|tests)\/[\w./*-]+)`/g)].map(([, path]) => String(path)),
  );
  expect(named.size).toBeGreaterThan(40);
  const missing: string[] = [];
  for (const path of named) {
    const there = path.includes("*")
      ? !(await glob(path, { cwd: ROOT }).next()).done
      : await access(`${ROOT}${path}`).then(
          () => true,
          () => false,
        );
    if (!there) missing.push(path);
  }
  expect(missing).toEqual([]);
});
