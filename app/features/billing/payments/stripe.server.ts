import Stripe from "stripe";
import type { AppConfig } from "~/config";

export type Payments = NonNullable<AppConfig["payments"]>;

export const SOLD_PLAN = "pro";

const TIMEOUT_MS = 10_000;
const RETRIES = 1;

const clients = new WeakMap<Payments, Stripe>();

export function stripeClient(payments: Payments): Stripe {
  const client =
    clients.get(payments) ??
    new Stripe(payments.secretKey, {
      httpClient: Stripe.createFetchHttpClient(),
      timeout: TIMEOUT_MS,
      maxNetworkRetries: RETRIES,
      telemetry: false,
    });
  clients.set(payments, client);
  return client;
}
