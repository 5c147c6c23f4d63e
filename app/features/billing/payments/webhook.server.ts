import type { GenericEndpointContext } from "better-auth";
import { APIError, createAuthEndpoint } from "better-auth/api";
import type Stripe from "stripe";
import { type Payments, SOLD_PLAN } from "./stripe.server";

type Adapter = GenericEndpointContext["context"]["adapter"];
type Row = { id: string; referenceId: string; stripeSubscriptionId?: string | null };

/** Fetches the current state for each event, as events can be repeated, late or unordered. Stripe retries after an error. */
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
    throw new APIError("BAD_REQUEST", { message: "The signature is invalid" });
  }
}

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

async function follow(subscription: Stripe.Subscription, adapter: Adapter, { proPrice, proAnnualPrice }: Payments): Promise<void> {
  const item = subscription.items.data.find(({ price }) => price.id === proPrice || price.id === proAnnualPrice);
  if (!item) return;
  const customer = idOf(subscription.customer);
  const values = {
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
  const existing = await adapter.findOne<Row>({ model: "subscription", where: by("stripeSubscriptionId", subscription.id) });
  const subscriptionId = subscription.metadata["subscriptionId"];
  const row = existing ?? (subscriptionId ? await adapter.findOne<Row>({ model: "subscription", where: by("id", subscriptionId) }) : null);
  // Two windows can each pay for one started checkout; each becomes a subscription.
  if (row && (row.stripeSubscriptionId ?? subscription.id) === subscription.id) {
    await adapter.update({ model: "subscription", where: by("id", row.id), update: values });
    return;
  }
  const owner =
    customer === null ? null : await adapter.findOne<{ id: string }>({ model: "user", where: by("stripeCustomerId", customer) });
  const referenceId = row?.referenceId ?? owner?.id;
  const isOwnerDeleted = referenceId === undefined;
  if (isOwnerDeleted) return;
  await adapter.create({ model: "subscription", data: { ...values, referenceId } });
}

const idOf = (value: string | { id: string } | null): string | null => (typeof value === "string" ? value : (value?.id ?? null));
const date = (seconds: number | null): Date | null => (seconds === null ? null : new Date(seconds * 1000));
