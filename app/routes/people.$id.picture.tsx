import { servePicture } from "~/features/accounts/settings/picture/serve-picture.server";
import { methodNotAllowed } from "~/lib/http/middleware/method-not-allowed.server";
import type { Route } from "./+types/people.$id.picture";

export function loader({ request, params, context }: Route.LoaderArgs) {
  return servePicture(request, params.id, context);
}

export const action = methodNotAllowed("GET", "HEAD");
