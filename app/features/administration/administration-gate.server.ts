import { createContext, type ServerBuild } from "react-router";
import type { AppConfig } from "~/config";
import { serviceConvex } from "~/features/accounts/session/convex/service-client.server";
import { findVisitor } from "~/features/accounts/session/session.server";
import { log } from "~/lib/http/telemetry/log.server";
import { api } from "#convex/_generated/api";
import { isAdministrationRoute } from "./hide-administration";

export const administrationContext = createContext(false);

/** Like React Router, ignores case and decodes the path. */
export function isAdministrationAddress({ url }: Request): boolean {
  const { pathname } = new URL(url);
  return /^\/+admin(?:[/.]|$)/i.test(decoded(pathname));
}

/** Returns the build without the administration's routes, so that its addresses get the same response as unknown ones. */
export const withoutAdministrationRoutes = (build: ServerBuild): ServerBuild => ({
  ...build,
  routes: withoutAdministration(build.routes),
  assets: { ...build.assets, routes: withoutAdministration(build.assets.routes) },
});

const withoutAdministration = <Route>(routes: Record<string, Route>): Record<string, Route> =>
  Object.fromEntries(Object.entries(routes).filter(([id]) => !isAdministrationRoute(id)));

/** Returns whether the request's session is open and has the administrator role now. False if the deployment does not respond. */
export async function isAdministrator(config: AppConfig, request: Request): Promise<boolean> {
  try {
    const visitor = await findVisitor(config, request);
    if (!visitor) return false;
    return await serviceConvex(config).query(api.accounts.administrators.isAllowed, { sessionId: visitor.sessionId });
  } catch (error) {
    if (!(error instanceof Error)) return false;
    log.warn({ from: "administration", error }, "the administrator role could not be checked");
    return false;
  }
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
