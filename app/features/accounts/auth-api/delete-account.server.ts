import type { User } from "better-auth";
import { endSubscriptions } from "~/features/billing/payments/payment-plugins.server";
import type { AppConfig } from "~/config";
import { api } from "#convex/_generated/api";
import { serviceConvex } from "../session/convex/service-client.server";
import { clearSessionCache } from "../session/session-check.server";
import { authRequest, clearCachedReads, recordDeletedUser } from "./auth-call.server";

/** Deletes an account and its rows with one call. Better Auth's later deletions of single rows are skipped (`isOfDeletedUser`). */
export const deleteAccount =
  (config: AppConfig) =>
  async (user: User): Promise<void> => {
    await endSubscriptions(config, user);
    await deleteUser(config, user.id);
    recordDeletedUser(user.id);
  };

export async function deleteUser(config: AppConfig, userId: string): Promise<void> {
  clearCachedReads();
  await serviceConvex(config).mutation(api.accounts.store.deleteUser, { userId, ...authRequest() }, { skipQueue: true });
  clearSessionCache();
}
