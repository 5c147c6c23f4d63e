import { type ClassValue, clsx } from "clsx";
import { createTailwindMerge, validators } from "tailwind-merge";

/** Class names put together; of two that say the same thing differently the last one counts. */
export function cx(...classes: ClassValue[]): string {
  return merge(clsx(classes));
}

const any = [validators.isAny];
const sizes = ["xs", "sm", "base", "lg", (value: string) => /^\d?xl$/.test(value)];
/** Groups that are named after what their utilities begin with. */
const named = (names: string) => Object.fromEntries(names.split(" ").map((name) => [name, [{ [name]: any }]]));

/**
 * tailwind-merge with the utilities that this app uses: its own list has all of Tailwind's, which would be 6 KiB more for each page's first load.
 * `cx.test.ts` holds any two classes in use against the whole.
 */
const merge = createTailwindMerge(() => ({
  cacheSize: 500,
  theme: {},
  classGroups: {
    display: ["block", "inline", "inline-block", "inline-flex", "inline-grid", "flex", "grid", "contents", "hidden"],
    position: ["static", "fixed", "absolute", "relative", "sticky"],
    "font-size": [{ text: sizes }],
    "text-align": [{ text: ["left", "center", "right", "start", "end"] }],
    "text-wrap": [{ text: ["balance", "pretty", "wrap", "nowrap"] }],
    "text-color": [{ text: any }],
    "font-family": [{ font: ["sans", "mono"] }],
    "font-weight": [{ font: any }],
    "bg-image": [{ bg: [validators.isArbitraryImage] }],
    "bg-color": [{ bg: any }],
    "border-style": [{ border: ["solid", "dashed", "dotted", "none"] }],
    ...borders(),
    "border-color": [{ border: any }],
    "outline-style": [{ outline: ["none", "hidden"] }],
    "outline-w": [{ outline: [validators.isNumber] }],
    "outline-color": [{ outline: any }],
    flex: [{ flex: [validators.isNumber, "auto", "initial", "none"] }],
    ...named("p px py pt pr pb pl m mx my mt mr mb ml gap gap-x gap-y size w h min-w min-h max-w max-h overflow overflow-x overflow-y"),
    ...named("rounded rounded-t rounded-r rounded-b rounded-l rounded-tl rounded-tr rounded-bl rounded-br"),
    ...named("z order items justify justify-items justify-self place-items place-self self grid-cols grid-rows row-span col-span"),
    ...named(
      "top left right bottom inset inset-x inset-y shrink grow basis opacity cursor select content leading tracking object aspect list",
    ),
    ...named(
      "pointer-events transition scale rotate translate-x translate-y scroll-mt columns duration underline-offset backdrop-blur shadow",
    ),
    ...named("whitespace accent outline-offset"),
  },
  conflictingClassGroups: {
    p: ["px", "py", "pt", "pr", "pb", "pl"],
    px: ["pr", "pl"],
    py: ["pt", "pb"],
    m: ["mx", "my", "mt", "mr", "mb", "ml"],
    mx: ["mr", "ml"],
    my: ["mt", "mb"],
    gap: ["gap-x", "gap-y"],
    size: ["w", "h"],
    overflow: ["overflow-x", "overflow-y"],
    inset: ["inset-x", "inset-y", "top", "left", "right", "bottom"],
    "inset-x": ["left", "right"],
    "inset-y": ["top", "bottom"],
    flex: ["basis", "grow", "shrink"],
    "font-size": ["leading"],
    "border-w": ["border-w-x", "border-w-y", "border-w-t", "border-w-r", "border-w-b", "border-w-l"],
    "border-w-x": ["border-w-r", "border-w-l"],
    "border-w-y": ["border-w-t", "border-w-b"],
    rounded: ["rounded-t", "rounded-r", "rounded-b", "rounded-l", "rounded-tl", "rounded-tr", "rounded-bl", "rounded-br"],
    "rounded-t": ["rounded-tl", "rounded-tr"],
    "rounded-r": ["rounded-tr", "rounded-br"],
    "rounded-b": ["rounded-bl", "rounded-br"],
    "rounded-l": ["rounded-tl", "rounded-bl"],
  },
  conflictingClassGroupModifiers: {},
  postfixLookupClassGroups: [],
  orderSensitiveModifiers: [
    "before",
    "after",
    "placeholder",
    "file",
    "marker",
    "selection",
    "first-line",
    "first-letter",
    "backdrop",
    "*",
    "**",
  ],
}));

function borders() {
  const widths = ["", validators.isNumber];
  const sides = ["x", "y", "t", "r", "b", "l"].map((side) => [`border-w-${side}`, [{ [`border-${side}`]: widths }]] as const);
  return { "border-w": [{ border: widths }], ...Object.fromEntries(sides) };
}
