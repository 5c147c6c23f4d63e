import { glob, readFile } from "node:fs/promises";
import { expect, it } from "vitest";

/** Their cost does not depend on how much is stored. */
const ALLOWED = ["mkdirSync"];
/** Reads one file of less than 100 bytes, once. */
const ALLOWED_IN = ["app/features/uploads/server/request-limit.server.ts: readFileSync"];

it("reads and removes no files synchronously", async () => {
  const found: string[] = [];
  for await (const path of glob("app/**/*.{ts,tsx}", { exclude: (name) => /\.test\.tsx?$/.test(name) })) {
    const source = await readFile(path, "utf8");
    for (const [, names = ""] of source.matchAll(/import \{([^}]*)\} from "node:fs"/g))
      for (const name of names.split(",").map((each) => each.trim()))
        if (name.endsWith("Sync") && !ALLOWED.includes(name)) found.push(`${path}: ${name}`);
  }
  expect(found).toEqual(ALLOWED_IN);
});
