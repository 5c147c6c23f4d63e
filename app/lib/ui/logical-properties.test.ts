import { globSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

/** Physical by nature: positions that follow the pointer or the pixels of a picture, and text that is left-to-right in every language. */
const ALLOWED: Record<string, RegExp[]> = {
  "app/features/accounts/settings/picture/picture-form.tsx": [/\bleft-0\b/, /\borigin-top-left\b/],
  "app/features/reordering/reordering.css": [/left: 0;/],
  "app/features/comments/viewer/placing.tsx": [/left: box\.left/],
  "app/features/images/viewer/comparison.tsx": [/left: `\$\{share\}%`/],
  "app/features/images/viewer/viewer-canvas.tsx": [/left: box\.left/],
  "app/features/selection/destinations/drop-designs.tsx": [/left: x,/],
  "app/features/presence/presence.css": [/inset: (?:0|1rem) auto auto (?:0|0\.75rem);/],
  "app/features/presence/viewer/tab-pointer.tsx": [/left: seen\.left/],
  "app/lib/ui/centered-screen.tsx": [/\borigin-top-left\b/],
};

const CLASS =
  /(?<![\w-])-?(?:(?:(?:scroll-)?[mp][lr]|left|right)-[\d[(a-z]|(?:border-[lr]|rounded-(?:[lr]|[tb][lr])|(?:text|float|clear|object|bg)-(?:left|right)|origin(?:-top|-bottom)?-(?:left|right))(?=-|["\s`!;]))/;
const STYLE = /(?<![\w-])(?:left|right): |(?<![\w.])(?:margin|padding|border|scroll-margin|scroll-padding)-?(?:[lL]eft|[rR]ight)\b/;
const DECLARATION = /(?<![\w-])(?:left|right|(?:[\w-]+-)(?:left|right)(?:-[\w-]+)?): |: (?:left|right);/;
const FOUR_SIDES = /(?<![\w-])(?:margin|padding|inset|border-(?:width|color|style)): (\S+) (\S+) (\S+) (?!\2;)(\S+);/;

const physical = (file: string, line: string) =>
  (file.endsWith(".css") ? [CLASS, DECLARATION, FOUR_SIDES] : [CLASS, STYLE]).some((pattern) => {
    if (pattern === CLASS && !/className|class=|clsx|"|@apply/.test(line)) return false;
    return pattern.test(line);
  });

it("finds physical properties", () => {
  const found = ['className="ml-2"', 'className="md:-left-3"', '"grid text-right"', "style={{ left: 0 }}", "style={{ marginLeft: 1 }}"];
  for (const line of found) expect(physical("x.tsx", line), line).toBe(true);
  for (const line of ["left: 0;", "margin-right: 1px;", "text-align: left;", "@apply pl-4;", "padding: 1px 2px 3px 4px;"])
    expect(physical("x.css", line), line).toBe(true);
  const logical = ['className="ms-2 start-3 rounded-t-lg text-start"', '"Skip what is left"'];
  for (const line of logical) expect(physical("x.tsx", line), line).toBe(false);
  for (const line of ["padding: 1px 2px 3px 2px;", "inset-inline: 0 auto;", "position-area: block-end;"])
    expect(physical("x.css", line), line).toBe(false);
});

it("styles no physical side", () => {
  const found = globSync("app/**/*.{tsx,css}", { exclude: (name) => name.endsWith(".test.tsx") }).flatMap((file) =>
    readFileSync(file, "utf8")
      .split("\n")
      .filter((line) =>
        physical(
          file,
          (ALLOWED[file] ?? []).reduce((rest, allowed) => rest.replace(allowed, ""), line),
        ),
      )
      .map((line) => `${file}: ${line.trim()}`),
  );
  expect(found).toEqual([]);
});
