import type { AppConfig } from "~/config";
import { type Payments, stripeClient } from "./stripe.server";

/** What Pro costs: for how long one pays at once, and how much (null while Stripe does not say), in the currency's smallest unit. */
export type Offer = { interval: Interval; price: { amount: number; currency: string } | null };
export type Interval = "month" | "year";

/** How long prices that Stripe said are believed, in milliseconds. They change by the year, and the page at Stripe has the last word. */
const BELIEVED_MS = 10 * 60 * 1000;
/** How long a page waits for them. */
const PATIENCE_MS = 2000;

const known = new WeakMap<Payments, { offers: Promise<Offer[]>; until: number }>();

/** What can be bought; null: nothing is sold here. */
export async function offersOf({ payments }: AppConfig): Promise<Offer[] | null> {
  if (!payments) return null;
  const believed = known.get(payments);
  if (believed && Date.now() < believed.until) return believed.offers;
  const offers = ask(payments);
  known.set(payments, { offers, until: Date.now() + BELIEVED_MS });
  const answered = await offers;
  if (answered.some(({ price }) => price === null)) known.delete(payments);
  return answered;
}

function ask(payments: Payments): Promise<Offer[]> {
  const { proPrice, proAnnualPrice } = payments;
  const ids: [Interval, string | null][] = [
    ["month", proPrice],
    ["year", proAnnualPrice],
  ];
  const client = stripeClient(payments);
  return Promise.all(
    ids.flatMap(([interval, id]) => {
      if (id === null) return [];
      const asked = client.prices.retrieve(id, undefined, { timeout: PATIENCE_MS, maxNetworkRetries: 0 });
      return asked.then(
        ({ unit_amount: amount, currency }): Offer => ({ interval, price: amount === null ? null : { amount, currency } }),
        // The page stands without; the price is said where it is paid.
        (): Offer => ({ interval, price: null }),
      );
    }),
  );
}
