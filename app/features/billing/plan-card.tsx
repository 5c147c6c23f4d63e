import type { FunctionReturnType } from "convex/server";
import type { api } from "#convex/_generated/api";
import { AccountForm, useAccountForm } from "~/features/accounts/settings/account-form";
import { Card } from "~/lib/ui/card";
import { Day } from "~/lib/ui/time/day";
import { Usage } from "./usage";

export type Billing = FunctionReturnType<typeof api.billing.getBilling>;

type PlanCardProps = {
  billing: Billing;
  usage: FunctionReturnType<typeof api.usage.getUsage>;
  sold: boolean;
  names: Record<Billing["plan"], string>;
};

export function PlanCard({ billing: { plan, limits, subscription }, usage, sold, names }: PlanCardProps) {
  return (
    <Card className="grid grid-cols-[minmax(0,1fr)] gap-6 p-5 sm:p-6">
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-4">
        <div className="grid gap-1">
          <h2 className="text-sm font-medium text-soft">Your plan</h2>
          <p className="text-xl font-semibold tracking-tight">{sold ? names[plan] : "No paid plans"}</p>
          <p className="text-soft">{sold ? <Paid subscription={subscription} /> : WITHOUT}</p>
        </div>
        {subscription ? <Manage /> : null}
      </div>
      <Usage usage={usage} limits={sold ? limits : null} />
    </Card>
  );
}

const WITHOUT = "This installation has no paid plans. All features are included.";

function Paid({ subscription }: Pick<Billing, "subscription">) {
  if (!subscription) return <>No charge.</>;
  const { status, interval, until, ends } = subscription;
  if (status === "past_due") return <>The last payment failed and will be retried. Update your payment method to keep your plan.</>;
  if (until === null) return null;
  if (ends) {
    return (
      <>
        Ends on <Day at={until} />. You keep your content. You can then add more only within the limits of the Free plan.
      </>
    );
  }
  return (
    <>
      {status === "trialing" ? "Trial ends on" : interval === "year" ? "Billed yearly, next on" : "Billed monthly, next on"}{" "}
      <Day at={until} />.
    </>
  );
}

function Manage() {
  const state = useAccountForm({ id: "manage", intent: "manage" });
  return <AccountForm state={state} submit="Manage subscription" className="grid" />;
}
