import { v } from "convex/values";
import { userQuery } from "./model/access";
import { planFor, subscriptionOf } from "./model/limits/limits";
import { PLANS } from "./model/limits/plans";

const limit = v.union(v.number(), v.null());

export const getBilling = userQuery({
  args: {},
  returns: v.object({
    plan: v.union(v.literal("free"), v.literal("pro")),
    limits: v.object({ projects: limit, designs: limit, images: limit, bytes: limit }),
    subscription: v.union(
      v.null(),
      v.object({
        status: v.string(),
        interval: v.union(v.string(), v.null()),
        /** The next payment date, or the end date if `ends`. */
        until: v.union(v.number(), v.null()),
        ends: v.boolean(),
      }),
    ),
  }),
  handler: async ({ db, user }) => {
    const subscription = await subscriptionOf(db, user.id);
    const plan = planFor(subscription);
    return {
      plan,
      limits: PLANS[plan].limits,
      subscription: subscription && {
        status: subscription.status,
        interval: subscription.billingInterval ?? null,
        until: subscription.cancelAt ?? subscription.periodEnd ?? null,
        ends: subscription.cancelAtPeriodEnd === true || typeof subscription.cancelAt === "number",
      },
    };
  },
});
