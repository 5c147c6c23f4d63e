import Stripe from "stripe";
import type { AppConfig } from "~/config";

export type Payments = NonNullable<AppConfig["payments"]>;

/** The one plan that is sold (`convex/plans.ts`). */
export const SOLD_PLAN = "pro";

/** How long an answer of Stripe is waited for, in milliseconds, and how often a request is made again that failed on the way. */
const TIMEOUT_MS = 10_000;
const RETRIES = 1;

const clients = new WeakMap<Payments, Stripe>();

/** Stripe's API, with the settings' key. It is spoken to by `fetch`, as everything else is. */
export function stripeClient(payments: Payments): Stripe {
  const client =
    clients.get(payments) ??
    new Stripe(payments.secretKey, {
      httpClient: Stripe.createFetchHttpClient(),
      timeout: TIMEOUT_MS,
      maxNetworkRetries: RETRIES,
      // It would tell its makers how long each request took.
      telemetry: false,
    });
  clients.set(payments, client);
  return client;
}
