import { downloadProject } from "~/archives/download.server";
import type { Route } from "./+types/download.projects";

/** A project's originals as a zip archive that is written while it is sent. */
export function loader({ request, params: { file }, context }: Route.LoaderArgs) {
  return downloadProject({ request, file, context });
}
