import { exportArchive } from "~/features/accounts/settings/export.server";
import { redirectToSignIn, getVisitor } from "~/features/accounts/session/session.server";
import { refusalOf } from "~/lib/data/error-responses";
import { methodNotAllowed } from "~/lib/http/middleware/method-not-allowed.server";
import type { Route } from "./+types/account.export";

export async function loader({ request, context }: Route.LoaderArgs) {
  const visitor = await getVisitor(context);
  if (!visitor) throw redirectToSignIn(request);
  try {
    return await exportArchive(visitor, request, context);
  } catch (error) {
    throw refusalOf(error)?.code === "unauthenticated" ? redirectToSignIn(request) : error;
  }
}

export const action = methodNotAllowed("GET", "HEAD");
