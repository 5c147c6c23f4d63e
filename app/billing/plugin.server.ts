import { stripe } from "@better-auth/stripe";
import type { BetterAuthPlugin, User } from "better-auth";
import { APIError } from "better-auth/api";
import type { AppConfig } from "~/config";
import { SOLD_PLAN, stripeClient } from "./stripe.server";
import { webhook } from "./webhook.server";

/**
 * Better Auth's plugin for Stripe, where payments are on: `/subscription/upgrade`, `/subscription/billing-portal` and their like, and
 * `/stripe/webhook`, for which ours stands in the plugin's place.
 */
export function paymentPlugins({ payments }: AppConfig): BetterAuthPlugin[] {
  if (!payments) return [];
  const { webhookSecret, proPrice, proAnnualPrice } = payments;
  const client = stripeClient(payments);
  const theirs = stripe({
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
      ...theirs,
      // The plugin would let people say themselves who they are at Stripe, and open somebody else's pages there.
      schema: { ...theirs.schema, user: { fields: { stripeCustomerId: { type: "string", required: false, input: false } } } },
      endpoints: { ...theirs.endpoints, stripeWebhook: webhook(client, payments) },
    },
  ];
}

/** Whoever deletes their account pays no longer: what they subscribed to ends first, and where it cannot, the account stays. */
export function endSubscriptions({ payments }: AppConfig): { beforeDelete?: (user: User) => Promise<void> } {
  if (!payments) return {};
  return {
    async beforeDelete(user) {
      const customer: unknown = Reflect.get(user, "stripeCustomerId");
      if (typeof customer !== "string") return;
      const client = stripeClient(payments);
      try {
        for await (const { id } of client.subscriptions.list({ customer })) await client.subscriptions.cancel(id);
      } catch {
        throw new APIError("BAD_REQUEST", {
          message: "Your subscription could not be ended, so your account was not deleted. Try again in a moment.",
        });
      }
    },
  };
}
