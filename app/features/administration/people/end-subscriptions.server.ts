import type { FormRequest } from "~/features/accounts/account-action.server";
import { authFor } from "~/features/accounts/auth-api/auth.server";
import { Rejection } from "~/features/accounts/rejection.server";
import { endSubscriptions } from "~/features/billing/payments/payment-plugins.server";
import { configContext } from "~/lib/http/context";
import { isAPIError } from "better-auth/api";

export async function endSubscriptionsOf(userId: string, { request, context }: FormRequest): Promise<void> {
  const config = context.get(configContext);
  const { internalAdapter } = await authFor(config, request).$context;
  const user = await internalAdapter.findUserById(userId);
  if (!user) return;
  try {
    await endSubscriptions(config, user);
  } catch (error) {
    if (!isAPIError(error)) throw error;
    throw new Rejection(error.message, { status: 422, code: "SUBSCRIPTION_NOT_ENDED" });
  }
}
