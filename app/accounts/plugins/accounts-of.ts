import { z } from "zod";

/** Which of somebody's linked accounts is meant (specification 7): the provider, and where there are several of it, which. */
export const byProvider = { providerId: z.string(), accountId: z.string().optional() };

type Wanted = { providerId?: string | undefined; accountId?: string | undefined };

/** Whether an account is the one that is wanted. `accountId` may be the provider's id for it or ours: /list-accounts gives both. */
export const isAccount =
  ({ providerId, accountId }: Wanted) =>
  (account: { id: string; providerId: string; accountId: string }): boolean =>
    (providerId === undefined || account.providerId === providerId) &&
    (accountId === undefined || account.accountId === accountId || account.id === accountId);
