/** Waits for the first frame; hidden pages draw none. Pending style sheets delay frames (HTML, 'render-blocked'). */
const PAINTED = "document.hidden||await new Promise((painted)=>requestAnimationFrame(()=>setTimeout(painted)));";

/** Defers a page's module script and preloads its modules. `code` has static imports, one per line, as React Router writes them. */
export function afterPaint(code: string, modules: readonly string[]): string {
  const fetched = `for(const href of ${JSON.stringify(modules)})document.head.append(Object.assign(document.createElement("link"),{rel:"modulepreload",href}));`;
  const dynamic = code
    .replaceAll(/^import \* as (\w+) from ("[^"]+");/gm, "const $1 = await import($2);")
    .replaceAll(/^import ("[^"]+");/gm, "await import($1);");
  return PAINTED + fetched + dynamic;
}
