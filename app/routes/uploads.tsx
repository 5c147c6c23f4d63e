import { isUpload, takeUploads } from "~/images/take.server";
import { answerUpload } from "~/uploads/protocol.server";
import type { Route } from "./+types/uploads";

/**
 * Takes files: the beginning of a resumable one (tus), as pages with scripts send them, or, for programs, a multipart form of whole ones for
 * the design that `?design=` names, answered in JSON. Without scripts the same form goes to the design's own page.
 */
export async function action({ request, context, url }: Route.ActionArgs) {
  if (!isUpload(request)) return answerUpload(request, context);
  return Response.json(await takeUploads(request, url.searchParams.get("design") ?? "", context));
}

export function loader({ request, context }: Route.LoaderArgs) {
  return answerUpload(request, context);
}
