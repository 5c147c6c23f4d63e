import { access, glob, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const text = await readFile(`${ROOT}docs/security.md`, "utf8");

const PATH = /`((?:app|bench|convex|docs|engine|server|tests)\/[\w./*-]+)`/g;
const TEST = /`[\w./*-]+\.(?:test|spec)\.tsx?`/;
/** A file and, behind it, the beginnings of titles of its tests: `file` ('one', 'another'). */
const WITH_TITLES = /`([\w./-]+\.(?:test|spec)\.tsx?)` \('(.+?)'\)(?=[,;.]|\s+\|)/gm;

describe("docs/security.md", () => {
  it("names only files that are there", async () => {
    const named = new Set([...text.matchAll(PATH)].map(([, path]) => String(path)));
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

  it("names only tests that are in those files", async () => {
    const missing: string[] = [];
    let named = 0;
    for (const [, path = "", titles = ""] of text.matchAll(WITH_TITLES)) {
      const source = await readFile(`${ROOT}${path}`, "utf8");
      for (const title of titles.split("', '")) {
        named++;
        if (!source.includes(title)) missing.push(`${path}: ${title}`);
      }
    }
    expect(missing).toEqual([]);
    expect(named).toBeGreaterThan(80);
  });

  it("has a test for every requirement of the standard, or says why it does not apply", () => {
    const [, table = ""] = text.split("## ASVS 5.0, level 2");
    const rows = table
      .split("\n")
      .filter((line) => line.startsWith("|"))
      .slice(2);
    expect(rows.length).toBeGreaterThan(50);
    const shown = (row: string) => {
      const proof = row.split("|").at(-2)?.trim() ?? "";
      return proof.startsWith("Does not apply") || TEST.test(proof);
    };
    expect(rows.filter((row) => !shown(row))).toEqual([]);
    const chapters = rows.flatMap((row) => /^\| V(\d+) /.exec(row)?.[1] ?? []);
    expect(chapters.map(Number)).toEqual(Array.from({ length: 17 }, (_, chapter) => chapter + 1));
  });
});
