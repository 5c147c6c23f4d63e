import { expect, it } from "vitest";
import { SHORTCUTS } from "./shortcuts";

const NAMES: Record<string, string | null> = { " ": "Space", Escape: "Esc", "=": "+", _: "-", Shift: null };
const nameOf = (key: string) => (NAMES[key] === undefined ? (key.startsWith("Arrow") ? "Arrows" : key.toUpperCase()) : NAMES[key]);
const CLIPBOARD: Record<string, string> = { cut: "X", paste: "V" };
const SAME: Record<string, string> = { Left: "Arrows", Right: "Arrows", Esc: "ESC", Space: "SPACE" };

function listenedTo(): Set<string> {
  const sources = import.meta.glob<string>(["../../**/*.{ts,tsx}", "!../../**/*.test.*"], {
    query: "?raw",
    import: "default",
    eager: true,
  });
  const found = Object.values(sources)
    .filter((source) => /keydown|onKeyDown|KeyboardEvent|isArrow|usePageKeys|hotkey|pressedKey/.test(source))
    .flatMap((source) => [
      ...source.matchAll(/\b(?:key|pressedKey\(event(?:\.nativeEvent)?\)) [!=]== "([^"]+)"/g),
      ...source.matchAll(/\bconst (?:TOGGLE_)?KEY = "(.)"/g),
      ...source.matchAll(/"Key([A-Z])"/g),
      ...[...source.matchAll(/"(cut|paste)"/g)].map(([, type = ""]) => ["", CLIPBOARD[type]] as const),
    ])
    .flatMap(([, key = ""]) => (key === "default" ? [] : (nameOf(key) ?? [])));
  return new Set(found.map((key) => key.toUpperCase()));
}

it("lists every key that the app handles, and no other", () => {
  const messages = SHORTCUTS.flatMap(({ shortcuts }) => shortcuts.flatMap(({ keys }) => keys))
    .map((keys) => (keys === "+" ? keys : (keys.split("+").at(-1) ?? "")))
    .map((key) => (SAME[key] ?? key).toUpperCase());
  expect([...new Set(messages)].toSorted()).toEqual([...listenedTo()].toSorted());
});

it("gives each shortcut of a section another description", () => {
  for (const { name, shortcuts } of SHORTCUTS) {
    const lines = shortcuts.map(({ does }) => does);
    expect(new Set(lines).size, name).toBe(lines.length);
  }
});
