const GAP = 8;

/** In stacking order from the edge; toasts are above all (`surfaces.css`). */
type BottomBar = "tray" | "selection";

/** Returns a `ref` that publishes the element's height as `--room-…`, so that other content can avoid it. */
export function bottomInsetRef(bar: BottomBar) {
  const name = `--room-${bar}`;
  return (element: HTMLElement | null) => {
    if (!element) return;
    const root = document.documentElement;
    const observer = new ResizeObserver(() => root.style.setProperty(name, `${element.offsetHeight + GAP}px`));
    observer.observe(element);
    return () => {
      observer.disconnect();
      root.style.removeProperty(name);
    };
  };
}
