import { answerUpload } from "~/features/uploads/server/tus-protocol.server";
import type { Route } from "./+types/uploads.$id.finish";

export function action({ request, context, params: { id } }: Route.ActionArgs) {
  return answerUpload(request, context, { id, finish: true });
}

export function loader({ request, context, params: { id } }: Route.LoaderArgs) {
  return answerUpload(request, context, { id, finish: true });
}
