import { expect, it } from "vitest";
import { SHORTCUTS } from "./shortcuts";

/** What a key is called on the page. What only makes another key's sign is that key; Shift does nothing by itself. */
const NAMES: Record<string, string | null> = { " ": "Space", Escape: "Esc", "=": "+", _: "-", Shift: null };
const nameOf = (key: string) => (NAMES[key] === undefined ? (key.startsWith("Arrow") ? "Arrows" : key.toUpperCase()) : NAMES[key]);
const SAME: Record<string, string> = { Left: "Arrows", Right: "Arrows", Esc: "ESC", Space: "SPACE" };

/** The keys that the app's sources compare with what was pressed. */
function listenedTo(): Set<string> {
  const sources = import.meta.glob<string>(["../**/*.{ts,tsx}", "!../**/*.test.*"], { query: "?raw", import: "default", eager: true });
  const found = Object.values(sources)
    .filter((source) => /keydown|onKeyDown|KeyboardEvent|isArrow|usePageKeys|hotkey/.test(source))
    .flatMap((source) => [
      ...source.matchAll(/\bkey(?:\.toLowerCase\(\))? [!=]== "([^"]+)"/g),
      ...source.matchAll(/\bconst (?:TOGGLE_)?KEY = "(.)"/g),
      ...source.matchAll(/"Key([A-Z])"/g),
    ])
    .flatMap(([, key = ""]) => (key === "default" ? [] : (nameOf(key) ?? [])));
  return new Set(found.map((key) => key.toUpperCase()));
}

it("tells every key that does something, and none that does nothing", () => {
  const told = SHORTCUTS.flatMap(({ shortcuts }) => shortcuts.flatMap(({ keys }) => keys))
    .map((keys) => (keys === "+" ? keys : (keys.split("+").at(-1) ?? "")))
    .map((key) => (SAME[key] ?? key).toUpperCase());
  expect([...new Set(told)].toSorted()).toEqual([...listenedTo()].toSorted());
});

it("tells each of a place's keys once", () => {
  for (const { name, shortcuts } of SHORTCUTS) {
    const lines = shortcuts.map(({ does }) => does);
    expect(new Set(lines).size, name).toBe(lines.length);
  }
});
