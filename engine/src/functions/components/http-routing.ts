import { APP, childPath, type ComponentPath } from "../paths.ts";
import type { Components } from "../types.ts";
import type { ComponentDefinition } from "./definitions.ts";

export type RoutedPath = { component: ComponentPath; path: string };

/** Returns the candidates in the order of their precedence: mounted components first, those with the longest prefix before others. */
export function routedPaths(path: string, { app, definitions }: Components): RoutedPath[] {
  const routes = (component: ComponentPath, definition: ComponentDefinition, requested: string): RoutedPath[] => {
    const mounts = Object.entries(definition.httpMounts).toSorted(([a], [b]) => b.length - a.length);
    const mounted = mounts.flatMap(([prefix, name]) => {
      const inner = pathBelow(prefix, requested);
      const child = definitions[definition.children.find((each) => each.name === name)?.path ?? ""];
      return inner === null || !child ? [] : routes(childPath(component, name), child, inner);
    });
    const own = pathBelow(definition.httpPrefix ?? "/", requested);
    return own === null ? mounted : [...mounted, { component, path: own }];
  };
  return routes(APP, app, path);
}

const pathBelow = (prefix: string, path: string): string | null => (path.startsWith(prefix) ? path.slice(prefix.length - 1) : null);
