import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { twMerge } from "tailwind-merge";
import { expect, it } from "vitest";

const APP = join(import.meta.dirname, "../../..");

function classLists(): string[] {
  const found = new Set<string>();
  for (const file of globSync("**/*.tsx", { cwd: APP }))
    for (const [, text = ""] of readFileSync(join(APP, file), "utf8").matchAll(/"([^"\n]*)"/g))
      if (text.includes(" ") && text.split(" ").every((name) => /^-?[a-z@[*&!][^\s,;"<>]*$/.test(name))) found.add(text);
  return [...found];
}

// Of two classes for one property, Tailwind's order decides, not the list's. A lint rule would need oxlint's JS plugins (alpha).
it("sets each CSS property at most once in every class list", () => {
  const lists = classLists();
  expect(lists.length).toBeGreaterThan(300);
  expect(lists.filter((list) => twMerge(list) !== list)).toEqual([]);
});
