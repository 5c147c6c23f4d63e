import { serviceConvex } from "~/features/accounts/session/convex/service-client.server";
import { configContext } from "~/lib/http/context";
import { checkFieldNames } from "~/lib/http/forms/field-names";
import { readFormData } from "~/lib/http/forms/form.server";
import { methodNotAllowed } from "~/lib/http/middleware/method-not-allowed.server";
import { textOf } from "~/lib/forms/intents";
import { api } from "#convex/_generated/api";
import type { Route } from "./+types/presence.leave";

export const loader = methodNotAllowed("POST");

/** Removes a closing page's row. The page may have signed out already, so its tab's secret key authorizes the request. */
export async function action({ request, context }: Route.ActionArgs) {
  const sent = await readFormData(request);
  checkFieldNames(sent, { once: ["tab"] });
  await serviceConvex(context.get(configContext)).mutation(api.presence.end, { tab: textOf(sent, "tab") }, { skipQueue: true });
  return new Response(null, { status: 204 });
}
