import { downloadDesign } from "~/features/downloads/handle-download.server";
import { methodNotAllowed } from "~/lib/http/middleware/method-not-allowed.server";
import type { Route } from "./+types/download.designs";

export function loader({ request, params: { file }, context }: Route.LoaderArgs) {
  return downloadDesign({ request, file, context });
}

export const action = methodNotAllowed("GET", "HEAD");
