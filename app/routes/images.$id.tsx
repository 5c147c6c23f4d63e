import { serveImage } from "~/features/images/serve/serve-image.server";
import { methodNotAllowed } from "~/lib/http/middleware/method-not-allowed.server";
import type { Route } from "./+types/images.$id";

export function loader({ request, params, context }: Route.LoaderArgs) {
  return serveImage(request, params.id, context);
}

export const action = methodNotAllowed("GET", "HEAD");
