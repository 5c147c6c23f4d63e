/**
 * Which of the browser's modules travel together. Left to itself the bundler makes a file for every set of routes that share a module: eighty
 * for the list of projects, most of some hundred bytes, which together are a third larger in gzip than the same code in four (`bench/pages.ts`
 * measures it). So: the framework, what every page is made of, what those signed out and those signed in add, what a project and a design add to that;
 * and by route what is left. Each file is a request, of which a phone's line has six at a time.
 */
type Graph = { getModuleInfo(id: string): { importedIds: readonly string[]; code: string | null } | null };

const FRAMEWORK = /\/node_modules\/(?:react|react-dom|react-router|scheduler)\//;
/** Named by rules that every page reads errors by, and left out of them again: what is used of it is used where somebody is signed in. */
const DEPLOYMENT = /\/node_modules\/(?:convex|convex-helpers)\//;
/** All icons are imported by way of one module, so who imports it does not tell which of them are wanted. */
const ICON = /\/lucide-react\/.*\/icons\/([\w-]+)\.m?js$/;
const ICONS_WANTED = /import\s*\{([^}]*)\}\s*from\s*["']lucide-react["']/g;

/** The pages that stand for their like. What they load only when it is asked for is not in it. */
const SIGNED_OUT = ["root", "routes/outermost", "routes/sign-in"];
const SIGNED_IN = ["root", "routes/shell", "routes/signed-in", "routes/projects"];
const WITHIN_PROJECTS = ["root", "routes/shell", "routes/signed-in", "routes/project", "routes/design"];

/**
 * Names the chunk of a module, for Rolldown's `codeSplitting.groups`; null: the bundler decides.
 * @param app the folder of the app
 */
export function chunkNames(app: string): (id: string, graph: Graph) => string | null {
  let reached: { out: Reached; in: Reached; within: Reached } | undefined;
  return (id, graph) => {
    if (FRAMEWORK.test(id)) return "framework";
    if (DEPLOYMENT.test(id)) return "signed-in";
    // A route's own module is an entry.
    if (id.startsWith(`${app}/routes/`) || id.startsWith(`${app}/root.tsx`)) return null;
    reached ??= {
      out: reachedFrom(app, SIGNED_OUT, graph),
      in: reachedFrom(app, SIGNED_IN, graph),
      within: reachedFrom(app, WITHIN_PROJECTS, graph),
    };
    const icon = ICON.exec(id)?.[1];
    const isIn = ({ modules, icons }: Reached) => (icon === undefined ? modules.has(id) : icons.has(plain(icon)));
    if (isIn(reached.out)) return isIn(reached.in) ? "page" : "signed-out";
    if (isIn(reached.in)) return "signed-in";
    return isIn(reached.within) ? "within-projects" : null;
  };
}

type Reached = { modules: ReadonlySet<string>; icons: ReadonlySet<string> };

/** All that is imported, by whatever way but an `import()`, and the icons that are named there. */
function reachedFrom(app: string, routes: readonly string[], graph: Graph): Reached {
  const modules = new Set<string>();
  const icons = new Set<string>();
  const next = routes.flatMap((route) => VIEWS.map((view) => `${app}/${route}.tsx${view}`));
  for (let id = next.pop(); id !== undefined; id = next.pop()) {
    if (modules.has(id)) continue;
    modules.add(id);
    const module = graph.getModuleInfo(id);
    next.push(...(module?.importedIds ?? []));
    for (const [, names = ""] of module?.code?.matchAll(ICONS_WANTED) ?? [])
      for (const name of names.split(",")) icons.add(plain(name.split(" as ", 1)[0] ?? ""));
  }
  return { modules, icons };
}

/** React Router serves a route's module as itself and in parts, under its name with a query behind it. */
const VIEWS = ["", "?__react-router-build-client-route", "?route-chunk=main", "?route-chunk=clientAction"];

/** "EyeOff" and "eye-off" alike. */
const plain = (name: string) => name.replace(/[^a-z\d]/gi, "").toLowerCase();
