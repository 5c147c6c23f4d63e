const GAP = 8;

/** In stacking order from the edge; toasts are above all (`surfaces.css`). */
type BottomBar = "tray" | "selection";

const heights = new Map<BottomBar, number>();
let sheet: CSSStyleSheet | null = null;

export function bottomInsetRef(bar: BottomBar) {
  return (element: HTMLElement | null) => {
    if (!element) return;
    const observer = new ResizeObserver(() => publish(bar, element.offsetHeight + GAP));
    observer.observe(element);
    return () => {
      observer.disconnect();
      publish(bar, null);
    };
  };
}

function publish(bar: BottomBar, height: number | null): void {
  if (height === null) heights.delete(bar);
  else heights.set(bar, height);
  if (sheet === null) {
    sheet = new CSSStyleSheet();
    document.adoptedStyleSheets.push(sheet);
  }
  sheet.replaceSync(rulesFor(heights.get("tray") ?? 0, heights.get("selection") ?? 0));
}

/** Uses no custom properties: after a change of one, Chromium recalculates the styles of all elements that use any. */
function rulesFor(tray: number, selection: number): string {
  const rules = [`[data-sonner-toaster] { margin-bottom: ${tray + selection}px; }`];
  if (tray > 0) rules.push(`.tray-spacer { height: ${tray}px; }`, `.selection-bar { bottom: calc(1rem + ${tray}px); }`);
  if (selection > 0) rules.push(`html { scroll-padding-bottom: calc(1rem + ${tray + selection}px); }`);
  if (tray > 0 && selection > 0)
    rules.push(
      `.page { min-height: calc(100dvh - ${tray}px); }`,
      `@media (width < 48rem) { .page { min-height: calc(100dvh - 3.5rem - ${tray}px); } }`,
    );
  return rules.join("\n");
}
