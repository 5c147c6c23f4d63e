import { answerUpload } from "~/uploads/protocol.server";
import type { Route } from "./+types/uploads.$id.finish";

/** Makes an upload that has come whole an image; can be repeated. */
export function action({ request, context, params: { id } }: Route.ActionArgs) {
  return answerUpload(request, context, { id, finish: true });
}

export function loader({ request, context, params: { id } }: Route.LoaderArgs) {
  return answerUpload(request, context, { id, finish: true });
}
