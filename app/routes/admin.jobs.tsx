import { accountAction } from "~/features/accounts/account-action.server";
import { serviceConvex } from "~/features/accounts/session/convex/service-client.server";
import { getVisitor, redirectToSignIn } from "~/features/accounts/session/session.server";
import { Section } from "~/features/accounts/settings/section";
import { Fact, Facts } from "~/features/administration/facts";
import { jobIntents } from "~/features/administration/operation/job-intents.server";
import { FailedJobs, PendingJobs, RunningBulkActions } from "~/features/administration/operation/jobs-view";
import { usePolling } from "~/features/administration/use-polling";
import { notFoundResponse, refusalOf } from "~/lib/data/error-responses";
import { configContext } from "~/lib/http/context";
import { count } from "~/lib/ui/count";
import { api } from "#convex/_generated/api";
import type { Route } from "./+types/admin.jobs";

export const meta: Route.MetaFunction = () => [{ title: "Jobs · Administration · Atelier" }];

export async function loader({ request, context }: Route.LoaderArgs) {
  const visitor = await getVisitor(context);
  if (!visitor) throw redirectToSignIn(request);
  const config = context.get(configContext);
  try {
    const jobs = await serviceConvex(config).query(api.admin.jobs.get, { sessionId: visitor.sessionId });
    return { jobs, sendsWebhooks: config.webhooks };
  } catch (error) {
    const code = refusalOf(error)?.code;
    if (code === "not_found") throw notFoundResponse();
    throw code === "unauthenticated" ? redirectToSignIn(request) : error;
  }
}

export const action = accountAction(jobIntents);

export default function Jobs({ loaderData: { jobs, sendsWebhooks } }: Route.ComponentProps) {
  usePolling();
  const { failed, pending, pendingCount, bulkActions, webhooks } = jobs;
  return (
    <>
      <Section
        title="Failed jobs"
        about="Jobs that failed in the last seven days. A retry runs the job with the same arguments, which are not shown."
      >
        {failed.length > 0 ? <FailedJobs jobs={failed} /> : <p className="text-soft">No job has failed.</p>}
      </Section>
      <Section title="Pending jobs" about={`${count(pendingCount, "scheduled job")} of the deployment.`}>
        {pending.length > 0 ? <PendingJobs jobs={pending} /> : <p className="text-soft">No job is pending.</p>}
      </Section>
      <Section title="Bulk actions" about="Actions on many items, which run in the background.">
        {bulkActions.length > 0 ? <RunningBulkActions actions={bulkActions} /> : <p className="text-soft">No bulk action is running.</p>}
      </Section>
      {sendsWebhooks || webhooks.waiting > 0 || webhooks.failed > 0 ? (
        <Section title="Webhooks" about="Deliveries of events to the URLs that project owners have set.">
          <Facts>
            <Fact name="Waiting deliveries">{webhooks.waiting}</Fact>
            <Fact name="Failed deliveries">{webhooks.failed}</Fact>
          </Facts>
        </Section>
      ) : null}
    </>
  );
}
