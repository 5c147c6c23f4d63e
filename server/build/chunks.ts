type Graph = { getModuleInfo(id: string): { importedIds: readonly string[]; code: string | null } | null };

const FRAMEWORK = /\/node_modules\/(?:react|react-dom|react-router|scheduler)\//;
/** Convex's client, which pages load after hydration. */
const CLIENT = /\/node_modules\/convex\//;
/** The names of functions, which pages need before. A group takes its dependencies with it, so these need a higher priority. */
const FUNCTION_NAMES = /\/node_modules\/convex\/dist\/esm\/server\/(?:api|functionName|components\/\w+)\.js/;
/** All icons are imported through one module, so its importers do not show which icons they use. */
const ICON = /\/lucide\/.*\/icons\/([\w-]+)\.m?js$/;
const ICON_IMPORTS = /import\s*\{([^}]*)\}\s*from\s*["']lucide["']/g;

const SIGNED_OUT = ["root", "routes/outermost", "routes/sign-in"];
const SIGNED_IN = ["root", "routes/shell", "routes/signed-in", "routes/projects"];
const WITHIN_PROJECTS = ["root", "routes/shell", "routes/signed-in", "routes/project", "routes/design"];

/** Returns Rolldown's `codeSplitting.groups`. */
export const chunkGroups = (app: string) => [
  { name: "function-names", test: FUNCTION_NAMES, priority: 1 },
  { name: chunkNames(app), debugName: "pages" },
];

/** Returns a module's chunk; null: the bundler decides. */
function chunkNames(app: string): (id: string, graph: Graph) => string | null {
  let reached: { out: Reached; in: Reached; within: Reached } | undefined;
  return (id, graph) => {
    if (FRAMEWORK.test(id)) return "framework";
    if (CLIENT.test(id)) return "live";
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

function reachedFrom(app: string, routes: readonly string[], graph: Graph): Reached {
  const modules = new Set<string>();
  const icons = new Set<string>();
  const next = routes.flatMap((route) => VIEWS.map((view) => `${app}/${route}.tsx${view}`));
  for (let id = next.pop(); id !== undefined; id = next.pop()) {
    if (modules.has(id)) continue;
    modules.add(id);
    const module = graph.getModuleInfo(id);
    next.push(...(module?.importedIds ?? []));
    for (const [, names = ""] of module?.code?.matchAll(ICON_IMPORTS) ?? [])
      for (const name of names.split(",")) icons.add(plain(name.split(" as ", 1)[0] ?? ""));
  }
  return { modules, icons };
}

/** React Router serves a route's module whole and in parts, with a query. */
const VIEWS = ["", "?__react-router-build-client-route", "?route-chunk=main", "?route-chunk=clientAction"];

const plain = (name: string) => name.replace(/[^a-z\d]/gi, "").toLowerCase();
