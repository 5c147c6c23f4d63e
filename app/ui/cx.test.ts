import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { twMerge } from "tailwind-merge";
import { describe, expect, it } from "vitest";
import { cx } from "./cx";

const APP = join(import.meta.dirname, "..");

/** Every class name that stands in a component: those of `className`, `cx` and the tables that they are made of. */
function classesInUse(): string[] {
  const found = new Set<string>();
  for (const file of globSync("**/*.tsx", { cwd: APP })) {
    const source = readFileSync(join(APP, file), "utf8");
    for (const [, text = ""] of source.matchAll(/"([^"\n]*)"/g)) {
      const names = text.split(" ");
      // Words of a sentence are no class names; in a table of classes each is one that Tailwind could have made.
      if (names.every((name) => /^-?[a-z@[*&!][^\s,;"<>]*$/.test(name) && /[-:[]|^(?:flex|grid|block|hidden|border|truncate)$/.test(name)))
        for (const name of names) found.add(name);
    }
  }
  return [...found];
}

describe("cx", () => {
  it("leaves out what is not there", () => {
    expect(cx("a", false, undefined, null, "b")).toBe("a b");
  });
  it("lets the later of two count that set the same, and keeps what it does not", () => {
    expect(cx("px-3 py-2 text-sm text-soft", "p-4 text-ink")).toBe("text-sm p-4 text-ink");
    expect(cx("p-4", "px-2")).toBe("p-4 px-2");
    expect(cx("hover:bg-hover bg-card", "bg-raised")).toBe("hover:bg-hover bg-raised");
  });
  it("agrees with tailwind-merge about any two classes in use", () => {
    const classes = classesInUse();
    expect(classes.length).toBeGreaterThan(300);
    const different = classes.flatMap((one) =>
      classes
        .filter((other) => one !== other && cx(one, other) !== twMerge(one, other))
        .map((other) => `${one} ${other}: ${cx(one, other)}, not ${twMerge(one, other)}`),
    );
    expect(different).toEqual([]);
  });
});
