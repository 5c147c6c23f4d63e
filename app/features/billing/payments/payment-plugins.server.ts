import { stripe } from "@better-auth/stripe";
import type { BetterAuthPlugin, User } from "better-auth";
import { APIError } from "better-auth/api";
import type { AppConfig } from "~/config";
import { SOLD_PLAN, stripeClient } from "./stripe.server";
import { webhook } from "./webhook.server";

export function paymentPlugins({ payments }: AppConfig): BetterAuthPlugin[] {
  if (!payments) return [];
  const { webhookSecret, proPrice, proAnnualPrice } = payments;
  const client = stripeClient(payments);
  const stripePlugin = stripe({
    stripeClient: client,
    stripeWebhookSecret: webhookSecret,
    subscription: {
      enabled: true,
      plans: [{ name: SOLD_PLAN, priceId: proPrice, annualDiscountPriceId: proAnnualPrice ?? undefined }],
      getCheckoutSessionParams: () => ({ params: { allow_promotion_codes: true } }),
    },
  });
  return [
    {
      ...stripePlugin,
      // The plugin would let users set their own customer id and open another customer's pages.
      schema: { ...stripePlugin.schema, user: { fields: { stripeCustomerId: { type: "string", required: false, input: false } } } },
      endpoints: { ...stripePlugin.endpoints, stripeWebhook: webhook(client, payments) },
    },
  ];
}

/** Cancels subscriptions before an account is deleted. If that fails, the account stays. */
export async function endSubscriptions({ payments }: AppConfig, user: User): Promise<void> {
  const customer: unknown = Reflect.get(user, "stripeCustomerId");
  if (!payments || typeof customer !== "string") return;
  const client = stripeClient(payments);
  try {
    for await (const { id } of client.subscriptions.list({ customer })) await client.subscriptions.cancel(id);
  } catch {
    throw new APIError("BAD_REQUEST", {
      message: "Your subscription could not be cancelled, so your account was not deleted. Try again in a moment.",
    });
  }
}
