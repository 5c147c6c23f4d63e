import type { QueryCtx } from "../../_generated/server";
import { nameOf, userOf } from "../members";

export const DELETED_USER = "Deleted user";

export type NamesOf = (userIds: Iterable<string>) => Promise<Map<string, string>>;

export function peopleOf(ctx: Pick<QueryCtx, "db">): NamesOf {
  const known = new Map<string, Promise<string>>();
  const nameFor = async (userId: string): Promise<string> => {
    const user = await userOf(ctx, userId);
    return user ? nameOf(user) : DELETED_USER;
  };
  return async (userIds) => {
    const names = new Map<string, string>();
    for (const userId of new Set(userIds)) {
      const name = known.get(userId) ?? nameFor(userId);
      known.set(userId, name);
      names.set(userId, await name);
    }
    return names;
  };
}
