import { Outlet } from "react-router";
import { AdministrationNav } from "~/features/administration/administration-nav";
import { administrationContext } from "~/features/administration/administration-gate.server";
import { isAdministrationGone } from "~/features/administration/administration-gone";
import { installationContext } from "~/features/administration/operation/installation.server";
import { notFoundResponse } from "~/lib/data/error-responses";
import { useMe } from "~/lib/data/use-me";
import { ErrorScreen } from "~/lib/ui/errors/error-screen";
import { PageNotFound } from "~/lib/ui/errors/page-not-found";
import { Page, PageHeader } from "~/lib/ui/page";
import type { Route } from "./+types/admin";

/** `app/server.ts` sends only administrators here. Rejects requests that reach this layout by another path. */
const requireAdministration: Route.MiddlewareFunction = ({ context }, next) => {
  if (!context.get(administrationContext)) throw notFoundResponse();
  return next();
};

export const middleware: Route.MiddlewareFunction[] = [requireAdministration];

/** Also runs the middleware for pages without a loader. `version` is null unless a production server runs. */
export const loader = ({ context }: Route.LoaderArgs) => ({ version: context.get(installationContext)?.installation?.version ?? null });

export const meta: Route.MetaFunction = ({ error }) => [{ title: error ? "Page not found · Atelier" : "Administration · Atelier" }];

export default function Administration({ loaderData: { version } }: Route.ComponentProps) {
  const me = useMe();
  if (me && me.isAdministrator !== true) return <PageNotFound />;
  return (
    <Page className="grid-cols-[minmax(0,60rem)] gap-6">
      <PageHeader title="Administration" />
      <AdministrationNav />
      <Outlet />
      {version === null ? null : <footer className="text-sm text-faint">Atelier version {version}</footer>}
    </Page>
  );
}

export function ErrorBoundary({ error }: Route.ErrorBoundaryProps) {
  return isAdministrationGone(error) ? <PageNotFound /> : <ErrorScreen error={error} />;
}
