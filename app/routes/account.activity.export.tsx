import { redirectToSignIn, getVisitor } from "~/features/accounts/session/session.server";
import { serviceConvex } from "~/features/accounts/session/convex/service-client.server";
import { auditFilterOf, filterFieldsIn } from "~/features/audit/audit-filter";
import { EXPORT_FORMATS, exportEvents } from "~/features/audit/export-events.server";
import { listAll } from "~/features/downloads/content-reader.server";
import { refusalOf } from "~/lib/data/error-responses";
import { clientNetwork } from "~/lib/http/client-network.server";
import { configContext } from "~/lib/http/context";
import { methodNotAllowed } from "~/lib/http/middleware/method-not-allowed.server";
import { api } from "#convex/_generated/api";
import type { Route } from "./+types/account.activity.export";

export async function loader({ request, context, url }: Route.LoaderArgs) {
  const visitor = await getVisitor(context);
  if (!visitor) throw redirectToSignIn(request);
  const { sessionId, userId } = visitor;
  const format = EXPORT_FORMATS.find((each) => each === url.searchParams.get("format")) ?? "csv";
  const convex = serviceConvex(context.get(configContext));
  const filter = auditFilterOf(filterFieldsIn(url.searchParams));
  const events = () => listAll(convex, api.accounts.archive.auditEvents, { sessionId, ...filter });
  const name = `account-activity-${new Date().toISOString().slice(0, 10)}`;
  try {
    if (request.method === "GET")
      await convex.mutation(
        api.auditLog.recordExport,
        { sessionId, of: "accountActivity", ...clientNetwork(context) },
        { skipQueue: true },
      );
    return exportEvents(request, { name, userId, format, events });
  } catch (error) {
    // The visitor's token can outlive an ended session.
    throw refusalOf(error)?.code === "unauthenticated" ? redirectToSignIn(request) : error;
  }
}

export const action = methodNotAllowed("GET", "HEAD");
