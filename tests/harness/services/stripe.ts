import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import Stripe from "stripe";

type Subscription = {
  id: string;
  object: "subscription";
  customer: string;
  status: string;
  metadata: Record<string, string>;
  items: { object: "list"; data: Item[] };
  cancel_at_period_end: boolean;
  cancel_at: number | null;
  canceled_at: number | null;
  ended_at: number | null;
  trial_start: null;
  trial_end: null;
  schedule: null;
};
type Item = { id: string; price: Price; quantity: number; current_period_start: number; current_period_end: number };
type Price = {
  id: string;
  object: "price";
  unit_amount: number;
  currency: string;
  recurring: { interval: string; usage_type: "licensed" };
};
type Customer = { id: string; object: "customer"; email: string; metadata: Record<string, string> };
type Checkout = {
  id: string;
  customer: string;
  price: string;
  success_url: string;
  metadata: Record<string, string>;
  subscription: string | null;
};

export type StripeServer = {
  settings: Record<string, string>;
  pay(checkoutUrl: string): string;
  customers: Customer[];
  subscriptions: Subscription[];
  change(id: string, to: Partial<Subscription>): void;
  sendEvent(app: string, type: string, id: string, secret?: string): Promise<number>;
  fails: boolean;
  requestCount(path: string): number;
  close(): Promise<void>;
};

const SECRET = "whsec_tests";
const PRICES = { month: "price_month", year: "price_year" };
const MONTH_SECONDS = 30 * 24 * 60 * 60;

export async function startStripe(): Promise<StripeServer> {
  const customers: Customer[] = [];
  const subscriptions: Subscription[] = [];
  const checkouts: Checkout[] = [];
  const requests = new Map<string, number>();
  const state = { fails: false };
  const price = (id: string): Price => ({
    id,
    object: "price",
    unit_amount: id === PRICES.year ? 12_000 : 1200,
    currency: "eur",
    recurring: { interval: id === PRICES.year ? "year" : "month", usage_type: "licensed" },
  });
  const subscription = (id: string) => subscriptions.find((each) => each.id === id);

  const routes: Record<string, (id: string, form: URLSearchParams) => object | undefined> = {
    "GET /v1/customers/search": () => ({ object: "search_result", data: [], has_more: false }),
    "GET /v1/customers/:id": (id) => customers.find((each) => each.id === id),
    "POST /v1/customers": (_, form) => {
      const customer = {
        id: `cus_${customers.length + 1}`,
        object: "customer" as const,
        email: form.get("email") ?? "",
        metadata: metadata(form),
      };
      customers.push(customer);
      return customer;
    },
    "GET /v1/prices/:id": (id) => price(id),
    "GET /v1/subscriptions": (_, form) => ({
      object: "list",
      has_more: false,
      data: subscriptions.filter((each) => each.customer === form.get("customer") && each.status !== "canceled"),
    }),
    "GET /v1/subscriptions/:id": (id) => subscription(id),
    "DELETE /v1/subscriptions/:id": (id) => {
      const found = subscription(id);
      return found && Object.assign(found, { status: "canceled", ended_at: now() });
    },
    "POST /v1/checkout/sessions": (_, form) => {
      const id = `cs_test_${checkouts.length + 1}`;
      const checkout = {
        id,
        customer: form.get("customer") ?? "",
        price: form.get("line_items[0][price]") ?? "",
        success_url: (form.get("success_url") ?? "").replaceAll("{CHECKOUT_SESSION_ID}", id),
        metadata: metadata(form),
        subscription: null,
      };
      checkouts.push(checkout);
      return { ...checkout, object: "checkout.session", url: `https://checkout.stripe.com/c/pay/${id}` };
    },
    "GET /v1/checkout/sessions/:id": (id) => {
      const found = checkouts.find((each) => each.id === id);
      return found && { ...found, object: "checkout.session", payment_status: found.subscription ? "paid" : "unpaid" };
    },
    "POST /v1/billing_portal/sessions": (_, form) => ({
      object: "billing_portal.session",
      url: `https://billing.stripe.com/p/session/${form.get("customer")}`,
    }),
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://stripe");
    requests.set(url.pathname, (requests.get(url.pathname) ?? 0) + 1);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const form = request.method === "GET" ? url.searchParams : new URLSearchParams(Buffer.concat(chunks).toString());
    const id = url.pathname.split("/").at(-1) ?? "";
    const route = routes[`${request.method} ${url.pathname}`] ?? routes[`${request.method} ${url.pathname.replace(/[^/]+$/, ":id")}`];
    const body = state.fails ? undefined : route?.(id, form);
    const refused = { error: { type: "invalid_request_error", code: "resource_missing", message: `No such thing: ${id}` } };
    response.writeHead(body ? 200 : state.fails ? 500 : 404, { "Content-Type": "application/json" });
    response.end(JSON.stringify(body ?? refused));
  }

  const server = createServer((request, response) => void answer(request, response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const origin = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;

  return {
    settings: {
      STRIPE_SECRET_KEY: "sk_test_tests",
      STRIPE_WEBHOOK_SECRET: SECRET,
      STRIPE_PRO_PRICE: PRICES.month,
      STRIPE_PRO_ANNUAL_PRICE: PRICES.year,
      NODE_OPTIONS: `--import ${new URL("../preloads/redirect-hosts.ts", import.meta.url)}`,
      REDIRECT_HOSTS: JSON.stringify({ "https://api.stripe.com": origin }),
    },
    customers,
    subscriptions,
    pay(checkoutUrl) {
      const checkout = checkouts.find(({ id }) => checkoutUrl.endsWith(`/${id}`));
      if (!checkout) throw new Error(`No such page: ${checkoutUrl}`);
      const made = newSubscription(checkout, price(checkout.price));
      checkout.subscription = made.id;
      subscriptions.push(made);
      return checkout.success_url;
    },
    change(id, to) {
      Object.assign(subscription(id) ?? {}, to);
    },
    async sendEvent(app, type, id, secret = SECRET) {
      const payload = JSON.stringify({
        id: `evt_${randomUUID()}`,
        object: "event",
        type,
        data: { object: { id, object: "subscription", subscription: id } },
      });
      const signature = await Stripe.webhooks.generateTestHeaderStringAsync({ payload, secret });
      const answered = await fetch(`${app}/api/auth/stripe/webhook`, {
        method: "POST",
        headers: { "Content-Type": "application/json", "Stripe-Signature": signature },
        body: payload,
      });
      return answered.status;
    },
    get fails() {
      return state.fails;
    },
    set fails(fails) {
      state.fails = fails;
    },
    requestCount: (path) => requests.get(path) ?? 0,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function newSubscription({ customer, metadata }: Checkout, price: Price): Subscription {
  const id = `sub_${randomUUID().replaceAll("-", "")}`;
  const item = { id: `si_${id}`, price, quantity: 1, current_period_start: now(), current_period_end: now() + MONTH_SECONDS };
  return {
    id,
    object: "subscription",
    customer,
    status: "active",
    metadata,
    items: { object: "list", data: [item] },
    cancel_at_period_end: false,
    cancel_at: null,
    canceled_at: null,
    ended_at: null,
    trial_start: null,
    trial_end: null,
    schedule: null,
  };
}

function metadata(form: URLSearchParams): Record<string, string> {
  const found = [...form].flatMap(([key, value]) => {
    const name = /^metadata\[(\w+)\]$/.exec(key)?.[1];
    return name ? [[name, value] as const] : [];
  });
  return Object.fromEntries(found);
}

const now = () => Math.floor(Date.now() / 1000);
