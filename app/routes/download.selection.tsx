import { downloadSelection } from "~/features/downloads/handle-download.server";
import { methodNotAllowed } from "~/lib/http/middleware/method-not-allowed.server";
import type { Route } from "./+types/download.selection";

export function action({ request, context }: Route.ActionArgs) {
  return downloadSelection(request, context);
}

export const loader = methodNotAllowed("POST");
