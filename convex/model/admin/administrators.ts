import type { Doc } from "../../_generated/dataModel";
import type { QueryCtx } from "../../_generated/server";

/** Returns whether no other enabled account has the role. Roles from an issuer's group do not count: they end at the issuer. */
export async function isLastAdministrator({ db }: Pick<QueryCtx, "db">, user: Doc<"users">): Promise<boolean> {
  const administrators = db.query("users").withIndex("isAdministrator", (q) => q.eq("isAdministrator", true));
  for await (const { id, disabledAt } of administrators) if (id !== user.id && disabledAt === undefined) return false;
  return true;
}
