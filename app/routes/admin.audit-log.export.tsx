import { redirectToSignIn, getVisitor } from "~/features/accounts/session/session.server";
import { serviceConvex } from "~/features/accounts/session/convex/service-client.server";
import { logFilterFieldsIn, logFilterOf } from "~/features/audit/audit-filter";
import { EXPORT_FORMATS, exportEvents } from "~/features/audit/export-events.server";
import { listAll } from "~/features/downloads/content-reader.server";
import { notFoundResponse, refusalOf } from "~/lib/data/error-responses";
import { clientNetwork } from "~/lib/http/client-network.server";
import { configContext } from "~/lib/http/context";
import { methodNotAllowed } from "~/lib/http/middleware/method-not-allowed.server";
import { api } from "#convex/_generated/api";
import type { Route } from "./+types/admin.audit-log.export";

export async function loader({ request, context, url }: Route.LoaderArgs) {
  const visitor = await getVisitor(context);
  if (!visitor) throw redirectToSignIn(request);
  const { sessionId, userId } = visitor;
  const format = EXPORT_FORMATS.find((each) => each === url.searchParams.get("format")) ?? "csv";
  const convex = serviceConvex(context.get(configContext));
  const filter = logFilterOf(logFilterFieldsIn(url.searchParams));
  const events = () => listAll(convex, api.admin.auditLog.exported, { sessionId, ...filter });
  const name = `audit-log-${new Date().toISOString().slice(0, 10)}`;
  try {
    if (request.method === "GET")
      await convex.mutation(api.admin.auditLog.recordExport, { sessionId, ...clientNetwork(context) }, { skipQueue: true });
    return exportEvents(request, { name, userId, format, withPeople: true, events });
  } catch (error) {
    const code = refusalOf(error)?.code;
    if (code === "not_found") throw notFoundResponse();
    throw code === "unauthenticated" ? redirectToSignIn(request) : error;
  }
}

export const action = methodNotAllowed("GET", "HEAD");
