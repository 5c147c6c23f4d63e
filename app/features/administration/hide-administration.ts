const LAYOUT = "routes/admin";

export const isAdministrationRoute = (id: string): boolean => id === LAYOUT || id.startsWith(`${LAYOUT}.`);

/** Removes the administration's routes from documents outside it. For most people, the server has no such routes either. */
export function hideAdministration(): void {
  const routes = window.__reactRouterManifest?.routes;
  if (!routes || LAYOUT in (window.__reactRouterRouteModules ?? {})) return;
  for (const id of Object.keys(routes)) if (isAdministrationRoute(id)) delete routes[id];
}
