import { answerExport } from "~/features/audit/answer-export.server";
import { logFilterFieldsIn, logFilterOf } from "~/features/audit/audit-filter";
import { listAll } from "~/features/downloads/content-reader.server";
import { methodNotAllowed } from "~/lib/http/middleware/method-not-allowed.server";
import { api } from "#convex/_generated/api";
import type { Route } from "./+types/admin.audit-log.export";

export function loader(args: Route.LoaderArgs) {
  const filter = logFilterOf(logFilterFieldsIn(args.url.searchParams));
  return answerExport(args, {
    name: "audit-log",
    withPeople: true,
    record: (convex, exported) => convex.mutation(api.admin.auditLog.recordExport, exported, { skipQueue: true }),
    events: (convex, sessionId) => listAll(convex, api.admin.auditLog.exported, { sessionId, ...filter }),
  });
}

export const action = methodNotAllowed("GET", "HEAD");
