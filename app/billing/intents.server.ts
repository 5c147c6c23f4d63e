import { href } from "react-router";
import { z } from "zod";
import { accountIntent } from "~/accounts/screens/account-action.server";
import { SOLD_PLAN } from "./stripe.server";

const HERE = href("/billing");
const led = z.object({ url: z.url() });

/** What the forms of `/billing` do: both lead to Stripe's own pages, and come back here. */
export const billingIntents = {
  upgrade: accountIntent({
    schema: z.object({ interval: z.enum(["month", "year"]) }),
    async run({ interval }, { post }) {
      const asked = { plan: SOLD_PLAN, annual: interval === "year", successUrl: `${HERE}?done=upgrade`, cancelUrl: HERE, returnUrl: HERE };
      return { leave: led.parse(await post("/subscription/upgrade", asked)).url };
    },
  }),

  manage: accountIntent({
    schema: z.object({}),
    run: async (_, { post }) => ({ leave: led.parse(await post("/subscription/billing-portal", { returnUrl: HERE })).url }),
  }),
};
