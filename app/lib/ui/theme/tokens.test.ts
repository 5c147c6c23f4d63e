import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const css = readFileSync(new URL("tokens.css", import.meta.url), "utf8");

const colours = new Map<string, [string, string]>();
for (const [, name, value] of css.matchAll(/^ {4}--([\w-]+): (.+);$/gm)) {
  if (!name || !value) continue;
  const both = /^light-dark\((oklch\([^)]*\)), (oklch\([^)]*\))\)$/.exec(value);
  if (both?.[1] && both[2]) colours.set(name, [both[1], both[2]]);
  else if (value.startsWith("oklch(")) colours.set(name, [value, value]);
}

/** Returns the relative luminance (WCAG 2.2) of an OKLCH colour, through linear sRGB (CSS Color 4, 10). */
function luminance(colour: string): number {
  const [lightness = 0, chroma = 0, hue = 0] = (colour.match(/[\d.]+/g) ?? []).map(Number);
  const a = chroma * Math.cos((hue * Math.PI) / 180);
  const b = chroma * Math.sin((hue * Math.PI) / 180);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const channel = (value: number) => Math.min(1, Math.max(0, value));
  const red = channel(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s);
  const green = channel(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s);
  const blue = channel(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [brighter = 0, darker = 0] = [luminance(one), luminance(other)].toSorted((x, y) => y - x);
  return (brighter + 0.05) / (darker + 0.05);
}

const of = (name: string, theme: number) => {
  const colour = colours.get(name)?.[theme];
  if (!colour) throw new Error(`No colour ${name}`);
  return colour;
};

describe.each([
  ["light", 0],
  ["dark", 1],
])("in the %s theme", (_, theme) => {
  const surfaces = ["background", "panel", "card", "raised", "hover", "mat"];

  it.each(surfaces)("text on %s has a contrast of at least 4.5:1", (surface) => {
    for (const text of ["ink", "soft", "faint", "accent-text", "danger-text"])
      expect(contrast(of(text, theme), of(surface, theme)), `${text} on ${surface}`).toBeGreaterThanOrEqual(4.5);
  });
  it("text on buttons has a contrast of at least 4.5:1", () => {
    for (const button of ["accent", "accent-hover"])
      expect(contrast(of("accent-ink", theme), of(button, theme)), button).toBeGreaterThanOrEqual(4.5);
    for (const button of ["danger", "danger-hover"])
      expect(contrast(of("danger-ink", theme), of(button, theme)), button).toBeGreaterThanOrEqual(4.5);
  });
  it.each(["background", "panel", "card", "raised"])("control edges on %s and focus rings have a contrast of at least 3:1", (surface) => {
    for (const edge of ["edge", "accent-text"])
      expect(contrast(of(edge, theme), of(surface, theme)), `${edge} on ${surface}`).toBeGreaterThanOrEqual(3);
  });
  it("avatar colours have a contrast of 4.5:1 to initials and 3:1 to surfaces", () => {
    for (let person = 0; person < 8; person++) {
      expect(contrast(of("person-ink", theme), of(`person-${person}`, theme)), `${person}`).toBeGreaterThanOrEqual(4.5);
      for (const surface of ["background", "panel", "card"])
        expect(contrast(of(`person-${person}`, theme), of(surface, theme)), `${person} on ${surface}`).toBeGreaterThanOrEqual(3);
    }
  });
  it("surfaces have no hue", () => {
    for (const surface of [...surfaces, "line", "lamp"])
      expect(Number(of(surface, theme).match(/[\d.]+/g)?.[1]), surface).toBeLessThanOrEqual(0.004);
  });
});
