import { access, glob, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { citedTests, expectTests } from "../tests/test-ids.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const text = await readFile(`${ROOT}docs/security.md`, "utf8");

const PATH = /`((?:app|bench|convex|docs|engine|server|tests)\/[\w./*-]+)`/g;
const TEST = /`[\w./*-]+\.(?:test|spec)\.tsx?`/;

describe("docs/security.md", () => {
  it("names only existing files", async () => {
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

  it("cites only existing tests", () => {
    const cited = citedTests(text);
    expect(cited.length).toBeGreaterThan(80);
    expectTests(cited);
  });

  it("lists each level 1 and 2 requirement once, with a test or a reason", () => {
    const [, list = ""] = text.split("## ASVS 5.0, level 2");
    const lines = list
      .replaceAll(/\n {2,}/g, " ")
      .split("\n")
      .filter((line) => line.startsWith("- "));
    expect(lines.flatMap(numbersOf).toSorted(byNumber)).toEqual(requirements());
    const unshown = lines.filter((line) => !/^- [\d., –]+ Does not apply\b.{15,}/.test(line) && !TEST.test(line));
    expect(unshown).toEqual([]);
    const shown = lines.filter((line) => TEST.test(line)).flatMap(numbersOf);
    expect(shown.length).toBeGreaterThan(170);
  });
});

/** The number of level 1 and 2 requirements in each section of ASVS 5.0.0. They come before the requirements of level 3, without gaps. */
const SECTIONS: Record<string, number> = {
  ...of(1, [2, 9, 11, 3, 2]),
  ...of(2, [3, 3, 4, 1]),
  ...of(3, [0, 2, 4, 6, 5, 0, 2]),
  ...of(4, [3, 1, 2, 4]),
  ...of(5, [1, 3, 2, 3]),
  ...of(6, [3, 12, 4, 4, 5, 3, 0, 4]),
  ...of(7, [3, 4, 2, 5, 2, 2]),
  ...of(8, [2, 3, 1, 1]),
  ...of(9, [3, 4]),
  ...of(10, [2, 2, 4, 11, 5, 2, 3]),
  ...of(11, [2, 3, 3, 4, 1, 1]),
  ...of(12, [3, 2, 4]),
  ...of(13, [1, 5, 2, 5]),
  ...of(14, [2, 4, 3]),
  ...of(15, [3, 3, 7]),
  ...of(16, [1, 5, 4, 3, 3]),
  ...of(17, [1, 4, 2]),
};

function of(chapter: number, counts: number[]): Record<string, number> {
  return Object.fromEntries(counts.map((count, section) => [`${chapter}.${section + 1}`, count]));
}

function requirements(): string[] {
  return Object.entries(SECTIONS).flatMap(([section, count]) => Array.from({ length: count }, (_, n) => `${section}.${n + 1}`));
}

function numbersOf(line: string): string[] {
  const [, head = ""] = /^- ((?:[\d., –])+?)(?= [^\d])/.exec(line) ?? [];
  return head.split(", ").flatMap((part) => {
    const [first = "", last = first] = part.split("–");
    const [section, from] = split(first);
    return Array.from({ length: split(last)[1] - from + 1 }, (_, n) => `${section}.${from + n}`);
  });
}

function split(number: string): [section: string, last: number] {
  const at = number.lastIndexOf(".");
  return [number.slice(0, at), Number(number.slice(at + 1))];
}

function byNumber(a: string, b: string): number {
  const [one, other] = [a, b].map((each) => each.split(".").map(Number));
  return (one ?? []).map((part, place) => part - (other?.[place] ?? 0)).find((difference) => difference !== 0) ?? 0;
}
