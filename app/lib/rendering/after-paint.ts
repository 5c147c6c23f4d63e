/** Waits for the first frame; hidden pages draw none. Pending style sheets delay frames (HTML, 'render-blocked'). */
const PAINTED = "document.hidden||await new Promise((painted)=>requestAnimationFrame(()=>setTimeout(painted)));";

const WATCH = `let used=false;for(const kind of["submit","click","input"])addEventListener(kind,()=>{used=true},{capture:true,once:true});`;

/** Reloads an unused page once when an import fails, because browsers cache the failure. A used page works without scripts. */
const RELOAD = `const [page]=performance.getEntriesByType("navigation");
const filled=[...document.querySelectorAll("input,textarea")].some((field)=>field.value!==field.defaultValue||!!field.checked!==!!field.defaultChecked);
if(used||filled||page?.type==="reload"||page?.responseStatus!==200)throw error;
location.reload();`;

/** Defers a page's module script and preloads its modules. `code` has static imports, one per line, as React Router writes them. */
export function afterPaint(code: string, modules: readonly string[]): string {
  const fetched = `for(const href of ${JSON.stringify(modules)})document.head.append(Object.assign(document.createElement("link"),{rel:"modulepreload",href}));`;
  const dynamic = code
    .replaceAll(/^import \* as (\w+) from ("[^"]+");/gm, "const $1 = await import($2);")
    .replaceAll(/^import ("[^"]+");/gm, "await import($1);")
    .replaceAll(/^import\(("[^"]+")\);/gm, "await import($1);");
  return `${WATCH}${PAINTED}${fetched}try{${dynamic}}catch(error){${RELOAD}}`;
}
