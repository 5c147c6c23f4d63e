import { Outlet } from "react-router";
import { LinkFrame } from "~/features/links/link-frame";
import { noteVisit } from "~/features/links/note-visit.server";
import { linkMiddleware, linkOf } from "~/features/links/open-link.server";
import { configContext } from "~/lib/http/context";
import { liveLayoutRevalidation } from "~/lib/data/should-revalidate";
import { useRoot } from "~/lib/data/use-root";
import { ErrorScreen } from "~/lib/ui/errors/error-screen";
import { isNotFound } from "~/lib/ui/errors/error-messages";
import { PageNotFound } from "~/lib/ui/errors/page-not-found";
import type { Route } from "./+types/link";

export const middleware: Route.MiddlewareFunction[] = [linkMiddleware];

export const meta: Route.MetaFunction = ({ error }) => [
  { title: isNotFound(error) ? "Page not found · Atelier" : "Atelier" },
  ...(isNotFound(error) ? [] : [{ name: "robots", content: "noindex" }]),
];

export async function loader({ request, context }: Route.LoaderArgs) {
  const link = await linkOf(context);
  if (!link.isUnlocked) return { role: null, convexToken: null, canReport: false };
  noteVisit(request, context, link);
  const canReport = context.get(configContext).publicLinks.reportTo !== null;
  return { role: link.downloads ? ("downloadLink" as const) : ("link" as const), convexToken: await link.convexToken(), canReport };
}

export const shouldRevalidate = liveLayoutRevalidation;

/** Without the password, only the form for it is shown. */
export default function LinkLayout({ loaderData: { role, canReport }, params: { token } }: Route.ComponentProps) {
  const root = useRoot();
  if (role === null || !root) return <Outlet />;
  return (
    <LinkFrame token={token} role={role} convex={root.convex} canReport={canReport}>
      <Outlet />
    </LinkFrame>
  );
}

export function ErrorBoundary({ error }: Route.ErrorBoundaryProps) {
  return <main>{isNotFound(error) ? <PageNotFound /> : <ErrorScreen error={error} atRoot />}</main>;
}
