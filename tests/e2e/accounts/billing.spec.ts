import { api } from "../../../convex/_generated/api.js";
import { PLANS } from "../../../convex/model/limits/plans.ts";
import { withAndWithoutJavaScript, expect, expectAccessible, hydrated, openBrowser, signUp, test } from "../../harness/test.ts";
import { startStripe, type StripeServer } from "../../harness/services/stripe.ts";
import { deploymentAs, makeDesign } from "../support/pictures.ts";

withAndWithoutJavaScript((javaScript) => {
  test("without a payment provider shows usage and limits nothing", async ({ app, page, person }) => {
    await makeDesign(app, person);
    await page.goto("/billing");
    await expect(page.getByText("This installation has no paid plans. All features are included.")).toBeVisible();
    await expect(page.getByRole("button", { name: /upgrade/i })).toHaveCount(0);
    await expect(page.getByRole("meter")).toHaveCount(0);
    await expect(page.getByRole("main")).toContainText("Projects1");
    await expectAccessible(page);
    if (!javaScript) return;
    await hydrated(page);
    const convex = await deploymentAs(app, person);
    for (let more = 0; more <= PLANS.free.limits.projects; more++) await convex.mutation(api.projects.create, { name: "More" });
    await expect(page.getByRole("main")).toContainText(`Projects${PLANS.free.limits.projects + 2}`);
  });
});

test.describe("with Stripe", () => {
  let stripe: StripeServer;
  test.beforeAll(async () => {
    stripe = await startStripe();
  });
  test.afterAll(() => stripe.close());

  test(
    "sells Pro, follows the subscription and enforces the plan's limits",
    { tag: ["@sells-pro-follows-subscription-enforces-plans", "@slow"] },
    async ({ launch, browser }) => {
      const app = await launch(stripe.settings);
      const ada = await signUp(app.url);
      const convex = await deploymentAs(app, ada);
      const page = await openBrowser(browser, app, ada);
      await page
        .context()
        .route("https://*.stripe.com/**", (route) => route.fulfill({ contentType: "text/html", body: "<h1>Stripe</h1>" }));

      for (let made = 0; made < PLANS.free.limits.projects; made++) await convex.mutation(api.projects.create, { name: `Project ${made}` });
      const noRoom = "The Free plan includes 3 projects.";
      const refusal = { data: { code: "limit", message: expect.stringContaining(noRoom) } };
      await expect(convex.mutation(api.projects.create, { name: "One more" })).rejects.toMatchObject(refusal);
      await page.goto("/projects");
      await hydrated(page);
      await page.getByRole("button", { name: "New project" }).first().click();
      await page.getByRole("dialog").getByLabel("Name").fill("One more");
      await page.getByRole("button", { name: "Create project" }).click();
      await expect(page.getByRole("dialog")).toContainText(noRoom);

      await page.goto("/billing");
      await hydrated(page);
      await expect(page.getByRole("meter", { name: "Projects" })).toHaveAttribute("aria-valuetext", "3 of 3");
      await expect(page.getByRole("button", { name: "Pay per year, €120 a year" })).toBeVisible();
      await expectAccessible(page);
      const tab = await page.context().newPage();
      await tab.goto("/billing");
      await page.getByRole("button", { name: "Upgrade to Pro, €12 a month" }).click();
      await expect(page).toHaveURL(/^https:\/\/checkout\.stripe\.com\//);
      const answer = await post(app.url, ada.cookieHeader, { intent: "upgrade", form: "upgrade-year", interval: "year" });
      expect([answer.status, answer.headers.get("Location")]).toEqual([303, expect.stringMatching(/^https:\/\/checkout\.stripe\.com\//)]);
      const billing = await fetch(`${app.url}/billing`, { headers: { Cookie: ada.cookieHeader } });
      expect(billing.headers.get("Content-Security-Policy")).toMatch(
        /form-action 'self' https:\/\/checkout\.stripe\.com https:\/\/billing\.stripe\.com/,
      );
      await page.goto(stripe.pay(page.url()));
      await expect(page).toHaveURL(`${app.url}/billing?done=upgrade`);
      await expect(page.getByText("Thank you. You are now on Pro.")).toBeVisible();
      await expect(tab.getByText(/^Billed monthly, next on \d/)).toBeVisible();
      await convex.mutation(api.projects.create, { name: "One more" });

      const [sold] = stripe.subscriptions;
      if (!sold) throw new Error("Nothing was sold");
      stripe.change(sold.id, { cancel_at_period_end: true });
      expect(await stripe.sendEvent(app.url, "customer.subscription.updated", sold.id, "whsec_of_somebody_else")).toBe(400);
      stripe.fails = true;
      expect(await stripe.sendEvent(app.url, "customer.subscription.updated", sold.id)).toBe(500);
      stripe.fails = false;
      await expect(tab.getByText(/^Ends on/)).toHaveCount(0);
      for (let twice = 0; twice < 2; twice++) expect(await stripe.sendEvent(app.url, "customer.subscription.updated", sold.id)).toBe(200);
      await expect(tab.getByText(/^Ends on \d/)).toBeVisible();
      await tab.getByRole("button", { name: "Manage subscription" }).click();
      await expect(tab).toHaveURL(`https://billing.stripe.com/p/session/${sold.customer}`);

      await page.goto("/billing");
      stripe.change(sold.id, { status: "canceled" });
      expect(await stripe.sendEvent(app.url, "customer.subscription.deleted", sold.id)).toBe(200);
      expect(await stripe.sendEvent(app.url, "customer.subscription.created", sold.id)).toBe(200);
      await expect(page.getByRole("button", { name: /^Upgrade to Pro/ })).toBeVisible();
      await expect(page.getByRole("meter", { name: "Projects" })).toHaveAttribute("aria-valuetext", "4 of 3");
      await expect(convex.mutation(api.projects.create, { name: "And more" })).rejects.toMatchObject(refusal);
      await page.context().close();
    },
  );

  test("ties Stripe customers to accounts and ends subscriptions with the account", { tag: "@slow" }, async ({ launch }) => {
    const app = await launch(stripe.settings);
    const ada = await signUp(app.url);
    const mallory = await signUp(app.url, "Mallory");
    const call = (user: typeof ada, path: string, body: object) =>
      fetch(`${app.url}/api/auth${path}`, {
        method: "POST",
        headers: { "Content-Type": "application/json", Cookie: user.cookieHeader, Origin: app.url },
        body: JSON.stringify(body),
      });
    const buy = { plan: "pro", successUrl: "/billing", cancelUrl: "/billing" };
    const checkout = await (await call(ada, "/subscription/upgrade", buy)).json();
    const hers = stripe.customers.at(-1)?.id;

    await call(mallory, "/update-user", { stripeCustomerId: hers });
    expect((await call(mallory, "/subscription/billing-portal", { returnUrl: "/billing" })).status).toBe(404);
    expect((await call(mallory, "/subscription/billing-portal", { returnUrl: "/billing", referenceId: ada.id })).status).toBe(400);
    expect((await call(ada, "/subscription/upgrade", { ...buy, successUrl: "https://evil.example/" })).status).toBe(403);

    const before = stripe.subscriptions.length;
    stripe.pay(checkout.url);
    stripe.pay(checkout.url);
    const sold = stripe.subscriptions.slice(before);
    for (const { id } of sold) expect(await stripe.sendEvent(app.url, "checkout.session.completed", id)).toBe(200);
    const convex = await deploymentAs(app, ada);
    expect(await convex.query(api.billing.getBilling, {})).toMatchObject({ plan: "pro", subscription: { status: "active", ends: false } });

    stripe.fails = true;
    const refused = await call(ada, "/delete-user", { password: ada.password });
    expect([refused.status, (await refused.json()).message]).toEqual([400, expect.stringContaining("your account was not deleted")]);
    stripe.fails = false;
    expect((await call(ada, "/delete-user", { password: ada.password })).status).toBe(200);
    expect(sold.map(({ status }) => status)).toEqual(["canceled", "canceled"]);
    expect(await stripe.sendEvent(app.url, "customer.subscription.deleted", sold[0]?.id ?? "")).toBe(200);
  });
});

const post = (app: string, cookies: string, fields: Record<string, string>) =>
  fetch(`${app}/billing`, {
    method: "POST",
    redirect: "manual",
    headers: { Origin: app, Cookie: cookies },
    body: new URLSearchParams(fields),
  });
