import { exportArchive } from "~/accounts/screens/export.server";
import { toSignIn, visitor } from "~/accounts/session.server";
import type { Route } from "./+types/account.export";

/** Everything that is the visitor's, as a zip archive that is written while it is sent. */
export async function loader({ request, context }: Route.LoaderArgs) {
  const who = await visitor(context);
  if (!who) throw toSignIn(request);
  return exportArchive(who, request, context);
}
