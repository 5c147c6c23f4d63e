import { findLinkOf, linkMiddleware } from "~/features/links/open-link.server";
import { serveLinkImage } from "~/features/images/serve/serve-image.server";
import { methodNotAllowed } from "~/lib/http/middleware/method-not-allowed.server";
import { NOT_FOUND_TEXT } from "~/lib/http/error-texts";
import type { Route } from "./+types/link.file";

export const middleware: Route.MiddlewareFunction[] = [linkMiddleware];

export async function loader({ request, params: { id }, context }: Route.LoaderArgs) {
  const link = await findLinkOf(context);
  if (!link?.isUnlocked) return new Response(`${NOT_FOUND_TEXT}\n`, { status: 404 });
  return serveLinkImage(request, id, context, link);
}

export const action = methodNotAllowed("GET", "HEAD");
