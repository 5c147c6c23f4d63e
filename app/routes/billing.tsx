import { useSearchParams } from "react-router";
import { accountAction } from "~/features/accounts/account-action.server";
import { billingIntents } from "~/features/billing/intents.server";
import { offersOf } from "~/features/billing/payments/offers.server";
import { PlanCard } from "~/features/billing/plan-card";
import { ProCard } from "~/features/billing/pro-card";
import { convexFor } from "~/lib/data/convex.server";
import { liveRevalidation } from "~/lib/data/should-revalidate";
import { useLive } from "~/lib/data/use-live";
import { configContext } from "~/lib/http/context";
import { Page, PageHeader } from "~/lib/ui/page";
import { api } from "#convex/_generated/api";
import { PLANS } from "#convex/model/limits/plans";
import type { Route } from "./+types/billing";

export const meta: Route.MetaFunction = () => [{ title: "Billing · Atelier" }];

export async function loader({ context }: Route.LoaderArgs) {
  const convex = convexFor(context);
  const [billing, usage, offers] = await Promise.all([
    convex.preload(api.billing.getBilling, {}),
    convex.preload(api.usage.getUsage, {}),
    offersOf(context.get(configContext)),
  ]);
  return { billing, usage, offers, pro: PLANS.pro, names: { free: PLANS.free.name, pro: PLANS.pro.name } };
}

export const action = accountAction(billingIntents);
export const shouldRevalidate = liveRevalidation;

export default function Billing({ loaderData: { offers, pro, names, ...preloaded } }: Route.ComponentProps) {
  const billing = useLive(preloaded.billing);
  const usage = useLive(preloaded.usage);
  const [search] = useSearchParams();
  const isUpgraded = billing.plan === "pro" && search.get("done") === "upgrade";
  return (
    <Page className="grid-cols-[minmax(0,48rem)]">
      <PageHeader title="Billing" />
      <p role="status" className="rounded-md border border-accent-text/40 px-4 py-3 empty:hidden">
        {isUpgraded ? `Thank you. You are now on ${names.pro}.` : null}
      </p>
      <PlanCard billing={billing} usage={usage} sold={offers !== null} names={names} />
      {offers !== null && billing.plan !== "pro" ? <ProCard name={pro.name} limits={pro.limits} offers={offers} /> : null}
    </Page>
  );
}
