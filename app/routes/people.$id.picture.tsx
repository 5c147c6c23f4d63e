import { servePicture } from "~/accounts/screens/serve-picture.server";
import type { Route } from "./+types/people.$id.picture";

/** The address of the picture by which somebody is known. Not a page: its bytes, for those who may see it. */
export function loader({ request, params, context }: Route.LoaderArgs) {
  return servePicture(request, params.id, context);
}
