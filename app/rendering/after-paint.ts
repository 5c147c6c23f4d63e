/** Waits for the first frame to be drawn; a page that nobody sees draws none. A style sheet that is on its way holds frames up (HTML, 'render-blocked'). */
const PAINTED = "document.hidden||await new Promise((painted)=>requestAnimationFrame(()=>setTimeout(painted)));";

/**
 * Has a page's module script wait for the first paint with all that it imports. Then the modules are asked for together, so that none is found by another.
 * @param code a module that imports others by `import * as name from "address";`, a line each, as React Router writes it. What it may import otherwise
 * is fetched before, which is early, but right
 * @param modules addresses of all that they need in turn
 */
export function afterPaint(code: string, modules: readonly string[]): string {
  const fetched = `for(const href of ${JSON.stringify(modules)})document.head.append(Object.assign(document.createElement("link"),{rel:"modulepreload",href}));`;
  return PAINTED + fetched + code.replaceAll(/^import \* as (\w+) from ("[^"]+");/gm, "const $1 = await import($2);");
}
