import { serveImage } from "~/images/serve.server";
import type { Route } from "./+types/images.$id";

/** The address of a picture. Not a page: its bytes, for those who may see it. */
export function loader({ request, params, context }: Route.LoaderArgs) {
  return serveImage(request, params.id, context);
}
