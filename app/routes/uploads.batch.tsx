import { answerBatch } from "~/features/uploads/server/batch-upload.server";
import type { Route } from "./+types/uploads.batch";

export function action({ request, context }: Route.ActionArgs) {
  return answerBatch(request, context);
}

export function loader({ request, context }: Route.LoaderArgs) {
  return answerBatch(request, context);
}
