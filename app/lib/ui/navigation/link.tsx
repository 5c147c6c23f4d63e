import { type LinkProps, NavLink as RouterNavLink, type NavLinkProps, Link as RouterLink } from "react-router";
import { useRouteModules } from "~/lib/data/route-modules";

/** React Router's `Link`; prefetches nothing until all route modules are loaded (see `useRouteModules`). */
export function Link({ prefetch, ...rest }: LinkProps) {
  return <RouterLink prefetch={useRouteModules() ? prefetch : "none"} {...rest} />;
}

export function NavLink({ prefetch, ...rest }: NavLinkProps) {
  return <RouterNavLink prefetch={useRouteModules() ? prefetch : "none"} {...rest} />;
}
