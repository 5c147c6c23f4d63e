import type { FunctionReturnType } from "convex/server";
import type { api } from "#convex/_generated/api";
import { AccountForm, useAccountForm } from "~/accounts/screens/account-form";
import { Card } from "~/ui/card";
import { Day } from "~/ui/day";
import { Usage } from "./usage";

export type Billing = FunctionReturnType<typeof api.billing.getBilling>;

type PlanCardProps = {
  billing: Billing;
  usage: FunctionReturnType<typeof api.usage.getUsage>;
  /** Whether there is a payment provider; without one no plan counts. */
  sold: boolean;
  names: Record<Billing["plan"], string>;
};

/** What somebody has: their plan, what they pay for it, and how much of it they use. */
export function PlanCard({ billing: { plan, limits, subscription }, usage, sold, names }: PlanCardProps) {
  return (
    <Card className="grid grid-cols-[minmax(0,1fr)] gap-6 p-5 sm:p-6">
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-4">
        <div className="grid gap-1">
          <h2 className="text-sm font-medium text-soft">Your plan</h2>
          <p className="text-xl font-semibold tracking-tight">{sold ? names[plan] : "Everything, without limits"}</p>
          <p className="text-soft">{sold ? <Paid subscription={subscription} /> : WITHOUT}</p>
        </div>
        {subscription ? <Manage /> : null}
      </div>
      <Usage usage={usage} limits={sold ? limits : null} />
    </Card>
  );
}

const WITHOUT = "This installation has no payment provider, so there is nothing to pay and nothing is limited.";

function Paid({ subscription }: Pick<Billing, "subscription">) {
  if (!subscription) return <>You pay nothing.</>;
  const { status, interval, until, ends } = subscription;
  if (status === "past_due") return <>The last payment failed and will be tried again. Look at how you pay, so that nothing ends.</>;
  if (until === null) return null;
  if (ends) {
    return (
      <>
        Ends on <Day at={until} />. What you have stays; to add more you then need room in the smaller plan.
      </>
    );
  }
  return (
    <>
      {status === "trialing" ? "The trial lasts until" : interval === "year" ? "Paid by the year, next on" : "Paid by the month, next on"}{" "}
      <Day at={until} />.
    </>
  );
}

/** Cards, invoices and cancelling stand at Stripe. */
function Manage() {
  const state = useAccountForm({ id: "manage", intent: "manage" });
  return <AccountForm state={state} submit="Manage subscription" className="grid" />;
}
