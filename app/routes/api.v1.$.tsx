import { answerApiRequest } from "~/features/http-api/answer-api-request.server";
import type { Route } from "./+types/api.v1.$";

export const loader = ({ request, context }: Route.LoaderArgs) => answerApiRequest(request, context);

export const action = ({ request, context }: Route.ActionArgs) => answerApiRequest(request, context);
