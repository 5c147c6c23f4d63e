import { linkCommentsApi } from "~/features/links/visitor/link-comments.server";
import { linkMiddleware } from "~/features/links/open-link.server";
import { methodNotAllowed } from "~/lib/http/middleware/method-not-allowed.server";
import type { Route } from "./+types/link.comments";

export const middleware: Route.MiddlewareFunction[] = [linkMiddleware];

export const loader = methodNotAllowed("POST");

export const action = ({ request, context }: Route.ActionArgs) => linkCommentsApi({ request, context });
