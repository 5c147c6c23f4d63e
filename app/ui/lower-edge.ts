/** Between two things that stand at the window's lower edge. In pixels. */
const GAP = 8;

/** What stands there, from the edge upwards; each stands above those before it, and the toasts above all (`surfaces.css`). */
type Standing = "tray" | "selection";

/**
 * The `ref` of something that stands at the window's lower edge: tells how much room it takes there, as `--room-…`, for what must not be covered by it
 * nor cover it.
 */
export function standsAtLowerEdge(standing: Standing) {
  const name = `--room-${standing}`;
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
