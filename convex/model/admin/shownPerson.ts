import { type Infer, v } from "convex/values";
import type { QueryCtx } from "../../_generated/server";
import { userOf } from "../members";

/** An account in lists of the administration. `email` is null for a deleted account. */
export const personShape = v.object({ id: v.string(), name: v.string(), email: v.union(v.string(), v.null()) });
export type PersonShape = Infer<typeof personShape>;

export type FindPerson = (id: string | undefined) => Promise<PersonShape | null>;

export function peopleIn(ctx: QueryCtx): FindPerson {
  const known = new Map<string, Promise<PersonShape>>();
  const read = async (id: string): Promise<PersonShape> => {
    const user = await userOf(ctx, id);
    return { id, name: user?.name ?? "", email: user?.email ?? null };
  };
  return async (id) => {
    if (id === undefined) return null;
    const found = known.get(id) ?? read(id);
    known.set(id, found);
    return found;
  };
}

/** Returns the id of the account with this address; otherwise the text, which may be the id of a deleted account. */
export async function userIdOf({ db }: Pick<QueryCtx, "db">, person: string): Promise<string> {
  const text = person.trim();
  if (!text.includes("@")) return text;
  const user = await db
    .query("users")
    .withIndex("email", (q) => q.eq("email", text.toLowerCase()))
    .unique();
  return user?.id ?? text;
}
