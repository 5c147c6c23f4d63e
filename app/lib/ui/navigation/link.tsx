import { type LinkProps, NavLink as RouterNavLink, type NavLinkProps, Link as RouterLink } from "react-router";
import { useRouteModules } from "~/lib/data/route-modules";

/** Every link states whether it preloads: "none" if there is nothing to load, such as on the same page or for a file. */
type Preloading = { prefetch: NonNullable<LinkProps["prefetch"]> } | { prefetch?: undefined; reloadDocument: true };

/** React Router's `Link`; prefetches nothing until all route modules are loaded (see `useRouteModules`). Discovers no route: the first page lists all. */
export function Link({ prefetch, ...rest }: LinkProps & Preloading) {
  return <RouterLink discover="none" prefetch={useRouteModules() ? prefetch : "none"} {...rest} />;
}

export function NavLink({ prefetch, ...rest }: NavLinkProps & Preloading) {
  return <RouterNavLink discover="none" prefetch={useRouteModules() ? prefetch : "none"} {...rest} />;
}
