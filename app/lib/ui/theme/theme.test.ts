import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { DEFAULT_THEME } from "./preferences";
import { THEME_COLOURS } from "./theme";

const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");

function grey(lightness: number): string {
  const channel = Math.round((1.055 * (lightness ** 3) ** (1 / 2.4) - 0.055) * 255);
  return `#${channel.toString(16).padStart(2, "0").repeat(3)}`;
}

it("matches the theme colours and the manifest to the page background", () => {
  const background = /--background: light-dark\(oklch\(([\d.]+) 0 0\), oklch\(([\d.]+) 0 0\)\)/.exec(read("tokens.css"));
  expect(THEME_COLOURS).toEqual({ light: grey(Number(background?.[1])), dark: grey(Number(background?.[2])) });
  const manifest = JSON.parse(read("../../../../public/manifest.webmanifest"));
  const colour = DEFAULT_THEME === "system" ? null : THEME_COLOURS[DEFAULT_THEME];
  expect(manifest).toMatchObject({ background_color: colour, theme_color: colour });
});
