import { api } from "#convex/_generated/api";
import { configContext } from "~/lib/http/context";
import { serviceConvex } from "../session/convex/service-client.server";
import { getVisitor } from "../session/session.server";
import type { FormRequest } from "../account-action.server";

/** Returns the token of a visitor's session, or null. Pages use ids, because tokens open sessions. */
export async function tokenOf(id: string, { context }: Pick<FormRequest, "context">): Promise<string | null> {
  const visitor = await getVisitor(context);
  const equals = (field: string, value: string) => ({
    field,
    operator: "eq" as const,
    value,
    connector: "AND" as const,
    mode: "sensitive" as const,
  });
  const conditions = visitor ? [equals("id", id), equals("userId", visitor.userId)] : [];
  const row: unknown =
    visitor &&
    (await serviceConvex(context.get(configContext)).query(api.accounts.store.findOne, { model: "sessions", where: conditions }));
  return typeof row === "object" && row !== null && "token" in row && typeof row.token === "string" ? row.token : null;
}
