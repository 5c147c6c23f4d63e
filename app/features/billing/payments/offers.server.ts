import type { AppConfig } from "~/config";
import { type Payments, stripeClient } from "./stripe.server";

export type Offer = { interval: Interval; price: { amount: number; currency: string } | null };
export type Interval = "month" | "year";

const CACHE_MS = 10 * 60 * 1000;
const TIMEOUT_MS = 2000;

const offersCache = new WeakMap<Payments, { offers: Promise<Offer[]>; until: number }>();

export async function offersOf({ payments }: AppConfig): Promise<Offer[] | null> {
  if (!payments) return null;
  const cached = offersCache.get(payments);
  if (cached && Date.now() < cached.until) return cached.offers;
  const offers = loadOffers(payments);
  offersCache.set(payments, { offers, until: Date.now() + CACHE_MS });
  const answered = await offers;
  if (answered.some(({ price }) => price === null)) offersCache.delete(payments);
  return answered;
}

function loadOffers(payments: Payments): Promise<Offer[]> {
  const { proPrice, proAnnualPrice } = payments;
  const ids: [Interval, string | null][] = [
    ["month", proPrice],
    ["year", proAnnualPrice],
  ];
  const client = stripeClient(payments);
  return Promise.all(
    ids.flatMap(([interval, id]) => {
      if (id === null) return [];
      const requested = client.prices.retrieve(id, undefined, { timeout: TIMEOUT_MS, maxNetworkRetries: 0 });
      return requested.then(
        ({ unit_amount: amount, currency }): Offer => ({ interval, price: amount === null ? null : { amount, currency } }),
        (): Offer => ({ interval, price: null }),
      );
    }),
  );
}
