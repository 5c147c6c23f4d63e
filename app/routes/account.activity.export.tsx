import { answerExport } from "~/features/audit/answer-export.server";
import { auditFilterOf, filterFieldsIn } from "~/features/audit/audit-filter";
import { listAll } from "~/features/downloads/content-reader.server";
import { methodNotAllowed } from "~/lib/http/middleware/method-not-allowed.server";
import { api } from "#convex/_generated/api";
import type { Route } from "./+types/account.activity.export";

export function loader(args: Route.LoaderArgs) {
  const filter = auditFilterOf(filterFieldsIn(args.url.searchParams));
  return answerExport(args, {
    name: "account-activity",
    record: (convex, exported) => convex.mutation(api.auditLog.recordExport, { ...exported, of: "accountActivity" }, { skipQueue: true }),
    events: (convex, sessionId) => listAll(convex, api.accounts.archive.auditEvents, { sessionId, ...filter }),
  });
}

export const action = methodNotAllowed("GET", "HEAD");
