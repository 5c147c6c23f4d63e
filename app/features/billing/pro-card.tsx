import { Check } from "lucide";
import { AccountForm, useAccountForm } from "~/features/accounts/settings/account-form";
import { Card } from "~/lib/ui/card";
import { Icon } from "~/lib/ui/icons/icon";
import type { Offer } from "./payments/offers.server";
import type { Billing } from "./plan-card";
import { formatAmount } from "./usage";

export function ProCard({ name, limits, offers }: { name: string; limits: Billing["limits"]; offers: Offer[] }) {
  return (
    <Card className="grid grid-cols-[minmax(0,1fr)] gap-6 border-accent-text/40 p-5 sm:p-6">
      <div className="grid gap-1">
        <h2 className="text-lg">Upgrade to {name}</h2>
        <p className="text-soft">More space for your work. Change or cancel at any time. You keep your content.</p>
      </div>
      <ul className="grid gap-2 sm:grid-cols-2">
        {(["projects", "designs", "images", "bytes"] as const).map((kind) => (
          <li key={kind} className="flex items-center gap-2.5">
            <Icon of={Check} className="text-accent-text" />
            {limitText(kind, limits[kind])}
          </li>
        ))}
      </ul>
      <div className="flex flex-wrap gap-x-4 gap-y-3 border-t pt-6">
        {offers.map((offer, index) => (
          <Buy key={offer.interval} offer={offer} name={name} first={index === 0} />
        ))}
      </div>
    </Card>
  );
}

function Buy({ offer: { interval, price }, name, first }: { offer: Offer; name: string; first: boolean }) {
  const state = useAccountForm({ id: `upgrade-${interval}`, intent: "upgrade" });
  const cost = price === null ? "" : `, ${money(price)} a ${interval}`;
  const submit = first ? `Upgrade to ${name}${cost}` : `Pay per ${interval}${cost}`;
  return <AccountForm state={state} hidden={{ interval }} variant={first ? "primary" : "quiet"} submit={submit} className="grid" />;
}

function limitText(kind: keyof Billing["limits"], most: number | null): string {
  if (kind === "bytes") return most === null ? "Unlimited storage" : `${formatAmount(kind, most)} of storage`;
  return most === null ? `Unlimited ${kind}` : `${formatAmount(kind, most)} ${kind}`;
}

/** Formats a price. Stripe's amounts are in the smallest unit, which is not always a hundredth. */
function money({ amount, currency }: NonNullable<Offer["price"]>): string {
  const format = new Intl.NumberFormat("en", { style: "currency", currency, trailingZeroDisplay: "stripIfInteger" });
  return format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
}
