import { type ClassValue, clsx } from "clsx";

/** Class names put together; of two that say the same thing differently the last one counts. */
export function cx(...classes: ClassValue[]): string {
  const text = clsx(classes);
  const known = merged.get(text);
  if (known !== undefined) return known;
  const result = merge(text);
  if (merged.size >= KNOWN) merged.clear();
  merged.set(text, result);
  return result;
}

/** Components put the same few hundred together over and over. */
const KNOWN = 500;
const merged = new Map<string, string>();

/** By class name: what it is said under, such as `hover:`, and the property that it sets; null: none of those below. */
const properties = new Map<string, { under: string; sets: string } | null>();

/**
 * tailwind-merge's rule for the utilities that this app uses, from the last to the first. The library is 3 KiB of each page's first load and its list of all
 * of Tailwind's 6 more; `cx.test.ts` holds any two classes in use against it.
 */
function merge(text: string): string {
  const said = new Set<string>();
  const kept: string[] = [];
  for (const name of text.split(" ").filter(Boolean).toReversed()) {
    let property = properties.get(name);
    if (property === undefined) properties.set(name, (property = propertyOf(name)));
    if (property) {
      const { under, sets } = property;
      if (said.has(under + sets)) continue;
      for (const each of [sets, ...(COVERS[sets] ?? "").split(" ")]) said.add(under + each);
    }
    kept.push(name);
  }
  return kept.toReversed().join(" ");
}

/** `hover:-mt-2`: under `hover:`, `mt`. What stands in brackets may hold colons and slashes of its own. */
function propertyOf(name: string): { under: string; sets: string } | null {
  const [, under = "", utility = ""] = /^((?:(?:[^:[(]|\[[^\]]*\]|\([^)]*\))*:)*)(.*)$/.exec(name) ?? [];
  const plain = utility.replace(/^-/, "").replace(/\/[^\])]*$/, "");
  const word = WORDS[plain];
  if (word !== undefined) return { under, sets: word };
  // The longest beginning counts: `gap-x-2` is `gap-x`'s.
  for (let dash = plain.lastIndexOf("-"); dash > 0; dash = plain.lastIndexOf("-", dash - 1)) {
    const [begin, value] = [plain.slice(0, dash), plain.slice(dash + 1)];
    const sets = KINDS[begin]?.(value) ?? (NAMED.has(begin) ? begin : null);
    if (sets !== null) return { under, sets };
  }
  return null;
}

const words = (sets: string, names: string) => Object.fromEntries(names.split(" ").map((name) => [name, sets]));
const isNumber = (value: string) => value !== "" && !Number.isNaN(Number(value));

/** Classes that are words of their own. */
const WORDS: Record<string, string> = {
  ...words("display", "block inline inline-block inline-flex inline-grid flex grid contents hidden"),
  ...words("position", "static fixed absolute relative sticky"),
  ...words("border-w", "border"),
  ...Object.fromEntries(["x", "y", "t", "r", "b", "l"].map((side) => [`border-${side}`, `border-w-${side}`])),
  ...words("rounded", "rounded"),
  ...words("shrink", "shrink"),
  ...words("grow", "grow"),
  ...words("transition", "transition"),
  ...words("shadow", "shadow"),
};

const borderSide = (side: string) => (value: string) => (isNumber(value) ? `border-w-${side}` : null);

/** Utilities that begin alike and set different things. */
const KINDS: Record<string, (value: string) => string | null> = {
  text: (value) =>
    /^(?:xs|sm|base|lg|\d?xl)$/.test(value)
      ? "font-size"
      : /^(?:left|center|right|start|end)$/.test(value)
        ? "text-align"
        : /^(?:balance|pretty|wrap|nowrap)$/.test(value)
          ? "text-wrap"
          : "text-color",
  font: (value) => (value === "sans" || value === "mono" ? "font-family" : "font-weight"),
  bg: (value) => (/^\[(?:(?:image|url):|(?:url|(?:repeating-)?(?:linear|radial|conic)-gradient)\()/.test(value) ? "bg-image" : "bg-color"),
  border: (value) => (isNumber(value) ? "border-w" : /^(?:solid|dashed|dotted|none)$/.test(value) ? "border-style" : "border-color"),
  "border-x": borderSide("x"),
  "border-y": borderSide("y"),
  "border-t": borderSide("t"),
  "border-r": borderSide("r"),
  "border-b": borderSide("b"),
  "border-l": borderSide("l"),
  outline: (value) => (value === "none" || value === "hidden" ? "outline-style" : isNumber(value) ? "outline-w" : "outline-color"),
  flex: (value) => (isNumber(value) || /^(?:auto|initial|none)$/.test(value) ? "flex" : null),
};

/** Utilities whose name is what they set. */
const NAMED = new Set(
  (
    "p px py pt pr pb pl m mx my mt mr mb ml gap gap-x gap-y size w h min-w min-h max-w max-h overflow overflow-x overflow-y rounded rounded-t rounded-r " +
    "rounded-b rounded-l rounded-tl rounded-tr rounded-bl rounded-br z order items justify justify-items justify-self place-items place-self self " +
    "grid-cols grid-rows row-span col-span top left right bottom inset inset-x inset-y shrink grow basis opacity cursor select content leading tracking " +
    "object aspect list pointer-events transition scale rotate translate-x translate-y scroll-mt columns duration underline-offset backdrop-blur shadow " +
    "whitespace accent outline-offset"
  ).split(" "),
);

/** What says something about all sides, and so about each. */
const COVERS: Record<string, string> = {
  p: "px py pt pr pb pl",
  px: "pr pl",
  py: "pt pb",
  m: "mx my mt mr mb ml",
  mx: "mr ml",
  my: "mt mb",
  gap: "gap-x gap-y",
  size: "w h",
  overflow: "overflow-x overflow-y",
  inset: "inset-x inset-y top right bottom left",
  "inset-x": "right left",
  "inset-y": "top bottom",
  flex: "basis grow shrink",
  "font-size": "leading",
  "border-w": "border-w-x border-w-y border-w-t border-w-r border-w-b border-w-l",
  "border-w-x": "border-w-r border-w-l",
  "border-w-y": "border-w-t border-w-b",
  rounded: "rounded-t rounded-r rounded-b rounded-l rounded-tl rounded-tr rounded-bl rounded-br",
  "rounded-t": "rounded-tl rounded-tr",
  "rounded-r": "rounded-tr rounded-br",
  "rounded-b": "rounded-br rounded-bl",
  "rounded-l": "rounded-tl rounded-bl",
};
