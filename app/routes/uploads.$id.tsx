import { answerUpload } from "~/uploads/protocol.server";
import type { Route } from "./+types/uploads.$id";

/** A resumable upload on its way (tus): how far it has come, more of it, or the end of it. */
export function action({ request, context, params: { id } }: Route.ActionArgs) {
  return answerUpload(request, context, { id });
}

export function loader({ request, context, params: { id } }: Route.LoaderArgs) {
  return answerUpload(request, context, { id });
}
