import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { twMerge } from "tailwind-merge";
import { expect, it } from "vitest";

const APP = join(import.meta.dirname, "..");

/** Texts in the app's components of which every word can be a class name. */
function classLists(): string[] {
  const found = new Set<string>();
  for (const file of globSync("**/*.tsx", { cwd: APP }))
    for (const [, text = ""] of readFileSync(join(APP, file), "utf8").matchAll(/"([^"\n]*)"/g))
      if (text.includes(" ") && text.split(" ").every((name) => /^-?[a-z@[*&!][^\s,;"<>]*$/.test(name))) found.add(text);
  return [...found];
}

// Of two that set the same property Tailwind's own order decides, not that of the list. What may be overridden is in components.css.
it("no list of classes sets the same property twice", () => {
  const lists = classLists();
  expect(lists.length).toBeGreaterThan(300);
  expect(lists.filter((list) => twMerge(list) !== list)).toEqual([]);
});
