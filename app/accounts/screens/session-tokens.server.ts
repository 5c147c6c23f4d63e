import { api } from "#convex/_generated/api";
import { configContext } from "~/http/context";
import { serviceConvex } from "../service.server";
import { visitor } from "../session.server";
import type { Asking } from "./account-action.server";

/** The token by which Better Auth ends one of the visitor's sessions. Pages name sessions by id: tokens open them. Null: none of theirs. */
export async function tokenOf(id: string, { context }: Pick<Asking, "context">): Promise<string | null> {
  const who = await visitor(context);
  const equals = (field: string, value: string) => ({
    field,
    operator: "eq" as const,
    value,
    connector: "AND" as const,
    mode: "sensitive" as const,
  });
  const where = who ? [equals("id", id), equals("userId", who.userId)] : [];
  const row: unknown =
    who && (await serviceConvex(context.get(configContext)).query(api.accounts.store.findOne, { model: "sessions", where }));
  return typeof row === "object" && row !== null && "token" in row && typeof row.token === "string" ? row.token : null;
}
