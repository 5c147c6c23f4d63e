import { downloadOverLink } from "~/features/links/visitor/link-archive.server";
import { linkMiddleware } from "~/features/links/open-link.server";
import { methodNotAllowed } from "~/lib/http/middleware/method-not-allowed.server";
import type { Route } from "./+types/link.download";

export const middleware: Route.MiddlewareFunction[] = [linkMiddleware];

export const loader = ({ request, params: { file }, context }: Route.LoaderArgs) => downloadOverLink({ request, file, context });

export const action = methodNotAllowed("GET", "HEAD");
