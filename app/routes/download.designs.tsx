import { downloadDesign } from "~/archives/download.server";
import type { Route } from "./+types/download.designs";

/** A design's originals as a zip archive that is written while it is sent. */
export function loader({ request, params: { file }, context }: Route.LoaderArgs) {
  return downloadDesign({ request, file, context });
}
