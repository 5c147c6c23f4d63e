import { href } from "react-router";
import { z } from "zod";
import { accountIntent } from "~/features/accounts/account-action.server";
import { SOLD_PLAN } from "./payments/stripe.server";

const BILLING_PAGE = href("/billing");
const redirectSchema = z.object({ url: z.url() });

export const billingIntents = {
  upgrade: accountIntent({
    schema: z.object({ interval: z.enum(["month", "year"]) }),
    async run({ interval }, { post }) {
      const requested = {
        plan: SOLD_PLAN,
        annual: interval === "year",
        successUrl: `${BILLING_PAGE}?done=upgrade`,
        cancelUrl: BILLING_PAGE,
        returnUrl: BILLING_PAGE,
      };
      return { leave: redirectSchema.parse(await post("/subscription/upgrade", requested)).url };
    },
  }),

  manage: accountIntent({
    schema: z.object({}),
    run: async (_, { post }) => ({
      leave: redirectSchema.parse(await post("/subscription/billing-portal", { returnUrl: BILLING_PAGE })).url,
    }),
  }),
};

declare module "~/lib/forms/intents" {
  interface IntentTables {
    billing: typeof billingIntents;
  }
}
