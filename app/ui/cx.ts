type ClassName = string | false | null | undefined;

/**
 * Class names put together; of those that set the same thing (and under the same variants) the last one counts, so that what a component is
 * given overrides what it has. Knows the utilities that this app uses, which `cx.test.ts` holds against tailwind-merge: all of them, as that
 * does, would be 8 KiB more for each page.
 */
export function cx(...classes: ClassName[]): string {
  const text = classes.filter(Boolean).join(" ");
  const known = merged.get(text);
  if (known !== undefined) return known;
  const answer = merge(text);
  if (merged.size < KEPT) merged.set(text, answer);
  return answer;
}

/** The combinations that were made before; an app has a few hundred. */
const merged = new Map<string, string>();
const KEPT = 2000;

function merge(text: string): string {
  const taken = new Set<string>();
  const kept: string[] = [];
  for (const name of text.split(/\s+/).toReversed()) {
    const at = variantEnd(name);
    const variants = name.slice(0, at);
    const sets = setBy(name.slice(at)).map((what) => variants + what);
    if (sets.every((what) => taken.has(what))) continue;
    for (const what of sets) taken.add(what);
    kept.push(name);
  }
  return kept.toReversed().join(" ");
}

/** Where the variants end ("md:hover:" in "md:hover:flex"). Colons in brackets belong to a value. */
function variantEnd(name: string): number {
  let depth = 0;
  let end = 0;
  for (let at = 0; at < name.length; at++) {
    const char = name[at];
    if (char === "[" || char === "(") depth++;
    else if (char === "]" || char === ")") depth--;
    else if (char === ":" && depth === 0) end = at + 1;
  }
  return end;
}

const SIDES: Record<string, string[]> = {
  "": ["t", "r", "b", "l"],
  x: ["l", "r"],
  y: ["t", "b"],
  t: ["t"],
  r: ["r"],
  b: ["b"],
  l: ["l"],
};

const CORNERS: Record<string, string[]> = {
  t: ["tl", "tr"],
  r: ["tr", "br"],
  b: ["bl", "br"],
  l: ["tl", "bl"],
  tl: ["tl"],
  tr: ["tr"],
  bl: ["bl"],
  br: ["br"],
};

/** What a utility sets, in words that only have to be the same for the same. */
const RULES: readonly (readonly [RegExp, (match: RegExpExecArray) => string[]])[] = [
  [/^(?:block|inline(?:-block|-flex|-grid)?|flex|grid|contents|hidden)$/, () => ["display"]],
  [/^(?:static|fixed|absolute|relative|sticky)$/, () => ["position"]],
  [/^([mp])([xytrbl]?)-/, ([, what = "", side = ""]) => (SIDES[side] ?? []).map((each) => what + each)],
  [/^size-/, () => ["w", "h"]],
  [/^gap-(?:([xy])-)?/, ([, axis]) => (axis ? [`gap-${axis}`] : ["gap-x", "gap-y"])],
  [/^text-(?:xs|sm|base|lg|\d?xl)$/, () => ["font-size", "leading"]],
  [/^text-(?:left|center|right|start|end)$/, () => ["text-align"]],
  [/^text-(?:balance|pretty|wrap|nowrap)$/, () => ["text-wrap"]],
  [/^text-/, () => ["color"]],
  [/^font-(?:sans|mono)$/, () => ["font-family"]],
  [/^bg-\[.*gradient/, () => ["bg-image"]],
  [/^bg-/, () => ["bg"]],
  [/^border(?:-([trblxy]))?(?:-\d)?$/, ([, side = ""]) => (SIDES[side] ?? []).map((each) => `border-${each}`)],
  [/^border-(?:solid|dashed|dotted|none)$/, () => ["border-style"]],
  [/^border-/, () => ["border-color"]],
  [/^rounded(?:-(?:none|sm|md|lg|xl|full|\[.*))?$/, () => ["tl", "tr", "bl", "br"]],
  [/^rounded-(t|r|b|l|tl|tr|bl|br)-/, ([, at = ""]) => CORNERS[at] ?? []],
  [/^flex-(?:\d|auto|initial|none)$/, () => ["flex", "basis", "grow", "shrink"]],
  [/^(whitespace|accent)-/, ([, name = ""]) => [name]],
  [/^overflow-(?:([xy])-)?/, ([, axis]) => (axis ? [`overflow-${axis}`] : ["overflow-x", "overflow-y"])],
  [/^outline-(?:\d)$/, () => ["outline-width"]],
  [/^outline-(?:none|hidden)$/, () => ["outline-style"]],
  [/^outline-offset-/, () => ["outline-offset"]],
  [/^outline-/, () => ["outline-color"]],
  // The rest is named after what it sets, up to its value.
  [
    /^((?:max-|min-)?[wh]|z|order|items|(?:justify|place)(?:-items|-self)?|self|grid-(?:cols|rows)|(?:row|col)-span|top|left|right|bottom|inset|shrink|grow|basis|opacity|cursor|select|content|leading|tracking|font|object|aspect|list|pointer-events|transition|scale|rotate|(?:-?translate|scroll-m)-?[xytrbl]?|columns|duration|underline-offset|backdrop-blur|shadow)-(?:\[.*|\(.*|[^-]*)$/,
    ([, name = ""]) => [name],
  ],
];

function setBy(utility: string): string[] {
  const bare = utility.replace(/^-|!$/g, "");
  for (const [pattern, sets] of RULES) {
    const match = pattern.exec(bare);
    if (match) return sets(match);
  }
  return [bare];
}
