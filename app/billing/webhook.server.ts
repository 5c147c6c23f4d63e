import type { GenericEndpointContext } from "better-auth";
import { APIError, createAuthEndpoint } from "better-auth/api";
import type Stripe from "stripe";
import { type Payments, SOLD_PLAN } from "./stripe.server";

type Adapter = GenericEndpointContext["context"]["adapter"];
type Row = { id: string; referenceId: string; stripeSubscriptionId?: string | null };

/**
 * POST /stripe/webhook: what Stripe tells of subscriptions. An event only says that something changed; what is true is then asked of Stripe
 * itself, so that events may come twice, late or in any order. What fails here fails towards Stripe too, which then tells it again; the
 * plugin's own webhook answers 200 to what it could not keep.
 */
export const webhook = (client: Stripe, payments: Payments) =>
  createAuthEndpoint("/stripe/webhook", { method: "POST", cloneRequest: true, disableBody: true }, async (ctx) => {
    const event = await signed(ctx.request, client, payments.webhookSecret);
    const id = subscriptionIn(event);
    if (id !== null) await follow(await client.subscriptions.retrieve(id), ctx.context.adapter, payments);
    return ctx.json({ received: true });
  });

async function signed(request: Request | undefined, client: Stripe, secret: string): Promise<Stripe.Event> {
  const signature = request?.headers.get("Stripe-Signature");
  if (!request || !signature) throw new APIError("BAD_REQUEST", { message: "The signature is missing" });
  try {
    return await client.webhooks.constructEventAsync(await request.text(), signature, secret);
  } catch {
    throw new APIError("BAD_REQUEST", { message: "The signature is not right" });
  }
}

/** The subscription that an event is about; null: none. */
function subscriptionIn(event: Stripe.Event): string | null {
  switch (event.type) {
    case "checkout.session.completed":
      return idOf(event.data.object.subscription);
    case "customer.subscription.created":
    case "customer.subscription.updated":
    case "customer.subscription.deleted":
    case "customer.subscription.paused":
    case "customer.subscription.resumed":
      return event.data.object.id;
    default:
      return null;
  }
}

/** Keeps what a subscription is now: in the row that was made when it was begun here, or in one of its own. */
async function follow(subscription: Stripe.Subscription, adapter: Adapter, { proPrice, proAnnualPrice }: Payments): Promise<void> {
  const item = subscription.items.data.find(({ price }) => price.id === proPrice || price.id === proAnnualPrice);
  // Of another product that the same account at Stripe sells.
  if (!item) return;
  const customer = idOf(subscription.customer);
  const facts = {
    plan: SOLD_PLAN,
    status: subscription.status,
    stripeCustomerId: customer,
    stripeSubscriptionId: subscription.id,
    periodStart: date(item.current_period_start),
    periodEnd: date(item.current_period_end),
    trialStart: date(subscription.trial_start),
    trialEnd: date(subscription.trial_end),
    cancelAtPeriodEnd: subscription.cancel_at_period_end,
    cancelAt: date(subscription.cancel_at),
    canceledAt: date(subscription.canceled_at),
    endedAt: date(subscription.ended_at),
    seats: item.quantity ?? 1,
    billingInterval: item.price.recurring?.interval ?? null,
  };

  const by = (field: string, value: string) => [{ field, value }];
  const known = await adapter.findOne<Row>({ model: "subscription", where: by("stripeSubscriptionId", subscription.id) });
  const begun = subscription.metadata["subscriptionId"];
  const row = known ?? (begun ? await adapter.findOne<Row>({ model: "subscription", where: by("id", begun) }) : null);
  // Two windows may each have paid for what was begun once: then each is a subscription of its own.
  if (row && (row.stripeSubscriptionId ?? subscription.id) === subscription.id) {
    await adapter.update({ model: "subscription", where: by("id", row.id), update: facts });
    return;
  }
  const owner =
    customer === null ? null : await adapter.findOne<{ id: string }>({ model: "user", where: by("stripeCustomerId", customer) });
  const referenceId = row?.referenceId ?? owner?.id;
  // Its owner's account is gone.
  if (referenceId === undefined) return;
  await adapter.create({ model: "subscription", data: { ...facts, referenceId } });
}

const idOf = (value: string | { id: string } | null): string | null => (typeof value === "string" ? value : (value?.id ?? null));
const date = (seconds: number | null): Date | null => (seconds === null ? null : new Date(seconds * 1000));
