import { findLinkOf, linkMiddleware } from "~/features/links/open-link.server";
import { methodNotAllowed } from "~/lib/http/middleware/method-not-allowed.server";
import type { Route } from "./+types/link.token";

export const middleware: Route.MiddlewareFunction[] = [linkMiddleware];

/** Answers with a token for the deployment. 401 means that the link has ended or is locked. */
export async function loader({ context }: Route.LoaderArgs) {
  const headers = { "Cache-Control": "no-store" };
  const link = await findLinkOf(context);
  if (!link?.isUnlocked) return Response.json({ code: "UNAUTHORIZED", message: "Unauthorized" }, { status: 401, headers });
  return Response.json({ token: await link.convexToken() }, { headers });
}

export const action = methodNotAllowed("GET", "HEAD");
