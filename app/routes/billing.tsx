import { convexFor } from "~/data/convex.server";
import { liveRevalidation } from "~/data/should-revalidate";
import { useLive } from "~/data/use-live";
import { Usage } from "~/billing/usage";
import { Card } from "~/ui/card";
import { Page, PageHeader } from "~/ui/page";
import { api } from "#convex/_generated/api";
import type { Route } from "./+types/billing";

export const meta: Route.MetaFunction = () => [{ title: "Billing · Atelier" }];

export async function loader({ context }: Route.LoaderArgs) {
  return { projects: await convexFor(context).preload(api.projects.getProjects, {}) };
}

export const shouldRevalidate = liveRevalidation;

export default function Billing({ loaderData }: Route.ComponentProps) {
  const projects = useLive(loaderData.projects);
  return (
    <Page className="max-w-3xl">
      <PageHeader title="Billing" />
      <Card className="grid grid-cols-[minmax(0,1fr)] gap-6 p-6">
        <div className="grid gap-1">
          <h2 className="text-lg">Your plan</h2>
          <p className="text-soft">This installation has no payment provider, so there is nothing to pay and nothing is limited.</p>
        </div>
        <Usage projects={projects} />
      </Card>
      <Card className="grid gap-1 p-6">
        <h2 className="text-lg">Upgrade to Pro</h2>
        <p className="text-soft">
          Pro becomes available once the people who run this installation connect a payment provider. Until then every feature is open to
          you.
        </p>
      </Card>
    </Page>
  );
}
