import { z } from "zod";

export const byProvider = { providerId: z.string(), accountId: z.string().optional() };

type Wanted = { providerId?: string | undefined; accountId?: string | undefined };

/** `accountId` may be the provider's id or ours: /list-accounts returns both. */
export const isAccount =
  ({ providerId, accountId }: Wanted) =>
  (account: { id: string; providerId: string; accountId: string }): boolean =>
    (providerId === undefined || account.providerId === providerId) &&
    (accountId === undefined || account.accountId === accountId || account.id === accountId);
