import { data, href, Outlet, redirect, type ShouldRevalidateFunctionArgs } from "react-router";
import { LinkFrame } from "~/features/links/visitor/link-frame";
import { commenterOf } from "~/features/links/visitor/link-comments.server";
import { recordVisit } from "~/features/links/visitor/record-visit.server";
import { linkMiddleware, linkOf } from "~/features/links/open-link.server";
import { isSavedBy, saveLink } from "~/features/links/saved/save-link.server";
import type { SaveAnswer } from "~/features/links/saved/save-link-form";
import { isDocumentRequest } from "~/lib/forms/is-document-request.server";
import { readFormData } from "~/lib/http/forms/form.server";
import { configContext } from "~/lib/http/context";
import { liveLayoutRevalidation } from "~/lib/data/should-revalidate";
import { useRoot } from "~/lib/data/use-root";
import { ErrorScreen } from "~/lib/ui/errors/error-screen";
import { isNotFound } from "~/lib/ui/errors/error-messages";
import { PageNotFound } from "~/lib/ui/errors/page-not-found";
import { linkRole } from "#convex/model/rights";
import type { Route } from "./+types/link";

export const middleware: Route.MiddlewareFunction[] = [linkMiddleware];

export const meta: Route.MetaFunction = ({ error }) => [
  { title: isNotFound(error) ? "Page not found · Atelier" : "Atelier" },
  ...(isNotFound(error) ? [] : [{ name: "robots", content: "noindex" }]),
];

export async function loader({ request, context }: Route.LoaderArgs) {
  const link = await linkOf(context);
  if (!link.isUnlocked) return { role: null, convexToken: null, canReport: false, isOfImage: false, isSaved: null, commenter: null };
  recordVisit(request, context, link);
  const canReport = context.get(configContext).publicLinks.reportTo !== null;
  const [convexToken, isSaved, commenter] = await Promise.all([
    link.convexToken(),
    isSavedBy(context, link),
    commenterOf(request, context, link),
  ]);
  const isOfImage = link.target.kind === "image";
  return { role: linkRole(link), convexToken, canReport, isOfImage, isSaved, commenter };
}

export async function action({ request, context, params: { token } }: Route.ActionArgs) {
  await readFormData(request);
  const saveProblem = await saveLink(request, context);
  if (saveProblem !== null) return data<SaveAnswer>({ saveProblem }, { status: 422 });
  if (isDocumentRequest(request)) throw redirect(href("/s/:token", { token }), 303);
  return data<SaveAnswer>({ saveProblem });
}

/** Reloads after each form, because a visitor's first comment sets the cookie that makes them its author. */
export const shouldRevalidate = (args: ShouldRevalidateFunctionArgs): boolean =>
  (args.formMethod !== undefined && args.formMethod !== "GET") || liveLayoutRevalidation(args);

export default function LinkLayout({ loaderData, actionData, params: { token } }: Route.ComponentProps) {
  const { role, canReport, isOfImage, isSaved, commenter } = loaderData;
  const root = useRoot();
  if (role === null || !root) return <Outlet />;
  return (
    <LinkFrame
      token={token}
      role={role}
      convex={root.convex}
      canReport={canReport}
      isOfImage={isOfImage}
      isSaved={isSaved}
      commenter={commenter}
      saveProblem={actionData?.saveProblem ?? null}
    >
      <Outlet />
    </LinkFrame>
  );
}

export function ErrorBoundary({ error }: Route.ErrorBoundaryProps) {
  return <main>{isNotFound(error) ? <PageNotFound /> : <ErrorScreen error={error} atRoot />}</main>;
}
