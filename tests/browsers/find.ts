import type { Box } from "./drivers/driver.ts";

const SELECTORS = {
  button: "button, summary, input[type=submit]",
  link: "a[href]",
  checkbox: "input[type=checkbox]",
  radio: "input[type=radio]",
  textbox: "input:not([type]), input[type=text], input[type=email], input[type=password], input[type=search], textarea",
  heading: "h1, h2, h3",
  dialog: "dialog",
  group: "[role=group]",
  list: "ul, ol",
  item: "li",
  image: "img",
  form: "form",
  text: "body *",
} as const;

export type Query = {
  role: keyof typeof SELECTORS;
  name: string | { part: string };
  within?: Query;
};

export type Found = {
  count: number;
  visible: boolean;
  focused: boolean;
  checked: boolean;
  box: Box;
  reachable: boolean;
};

/** Resolves roles to selectors, as a function in the page cannot use this module. */
export const resolveQuery = ({ role, name, within }: Query): ResolvedQuery => ({
  selector: SELECTORS[role],
  ...(typeof name === "string" ? { name, whole: true } : { name: name.part, whole: false }),
  within: within ? resolveQuery(within) : null,
});

type ResolvedQuery = { selector: string; name: string; whole: boolean; within: ResolvedQuery | null };

export function findIn(query: ResolvedQuery, act: "none" | "scroll" | "select"): Found {
  const normalized = (text: string | null | undefined) => (text ?? "").replace(/\s+/g, " ").trim();
  function nameOf(element: Element): string {
    const labelledBy = element.getAttribute("aria-labelledby");
    if (labelledBy !== null)
      return normalized(
        labelledBy
          .split(" ")
          .map((id) => document.getElementById(id)?.textContent)
          .join(" "),
      );
    const label = element.getAttribute("aria-label");
    if (label !== null) return label;
    if (element instanceof HTMLImageElement) return element.alt;
    if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) return normalized(element.labels?.[0]?.textContent);
    return normalized(element.textContent) || (element.querySelector("img")?.alt ?? "");
  }
  function isVisible(element: Element): boolean {
    const { width, height } = element.getBoundingClientRect();
    return width > 0 && height > 0 && element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  }
  function matches({ selector, name, whole, within }: ResolvedQuery): Element[] {
    const roots: (Element | Document)[] = within ? matches(within) : [document];
    const all = roots
      .flatMap((root) => [...root.querySelectorAll(selector)])
      .filter((element) => (whole ? nameOf(element) === name : nameOf(element).includes(name)));
    const visible = all.filter(isVisible);
    return [...visible, ...all.filter((element) => !visible.includes(element))];
  }
  const all = matches(query);
  const [first] = all;
  if (first instanceof HTMLElement && act !== "none") {
    first.scrollIntoView({ block: "center", inline: "nearest", behavior: "instant" });
    if (act === "select") first.focus();
    if (act === "select" && (first instanceof HTMLInputElement || first instanceof HTMLTextAreaElement)) first.select();
  }
  const { x, y, width, height } = first?.getBoundingClientRect() ?? new DOMRect();
  const hit = document.elementFromPoint(x + width / 2, y + height / 2);
  const inLabel = first instanceof HTMLInputElement && [...(first.labels ?? [])].some((label) => label.contains(hit));
  return {
    count: all.length,
    visible: first !== undefined && isVisible(first),
    focused: first !== undefined && first === document.activeElement,
    checked: first instanceof HTMLInputElement && first.checked,
    box: { x, y, width, height },
    reachable: first !== undefined && hit !== null && (first.contains(hit) || inLabel),
  };
}
