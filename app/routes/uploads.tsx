import { isUpload, handleMultipartUpload } from "~/features/uploads/server/handle-multipart-upload.server";
import { answerUpload } from "~/features/uploads/server/tus-protocol.server";
import type { Route } from "./+types/uploads";

export async function action({ request, context, url }: Route.ActionArgs) {
  if (!isUpload(request)) return answerUpload(request, context);
  return Response.json(await handleMultipartUpload(request, url.searchParams.get("design") ?? "", context));
}

export function loader({ request, context }: Route.LoaderArgs) {
  return answerUpload(request, context);
}
