import { data, redirect } from "react-router";
import { safeRedirectPath } from "~/features/accounts/session/safe-redirect";
import { getVisitor, redirectToSignIn } from "~/features/accounts/session/session.server";
import { JOB_ACTIONS } from "~/features/selection/bulk/job-actions";
import { convexFor } from "~/lib/data/convex.server";
import { liveRevalidation } from "~/lib/data/should-revalidate";
import { useLive } from "~/lib/data/use-live";
import { textOf } from "~/lib/forms/intents";
import { unsavedResponse } from "~/lib/http/disk-full.server";
import { badForm, checkFieldNames } from "~/lib/http/forms/field-names";
import { readFormData } from "~/lib/http/forms/form.server";
import { Page, PageHeader } from "~/lib/ui/page";
import { api } from "#convex/_generated/api";
import type { Route } from "./+types/bulk";

export const meta: Route.MetaFunction = () => [{ title: "Bulk actions · Atelier" }];

const RELOAD_SECONDS = 3;

/** Loads the running jobs, which the shell shows. Only this page reloads by a header, because users may type on other pages. */
export async function loader({ context }: Route.LoaderArgs) {
  const jobs = await convexFor(context).preload(api.bulk.getRecent, {});
  const isRunning = jobs.value.some(({ state }) => state === "running");
  return data({ jobs }, isRunning ? { headers: { Refresh: String(RELOAD_SECONDS) } } : {});
}

export const headers: Route.HeadersFunction = ({ loaderHeaders, errorHeaders }) => errorHeaders ?? loaderHeaders;
export const shouldRevalidate = liveRevalidation;

export async function action({ request, context }: Route.ActionArgs) {
  const sent = await readFormData(request);
  checkFieldNames(sent, { once: ["id", "act", "back"] });
  if (!(await getVisitor(context))) throw redirectToSignIn(request);
  const act = textOf(sent, "act");
  if (!Object.hasOwn(JOB_ACTIONS, act)) throw badForm();
  const mutation = Object.entries(JOB_ACTIONS).find(([name]) => name === act)?.[1];
  try {
    if (mutation) await convexFor(context).mutation(mutation, { id: textOf(sent, "id") });
  } catch (error) {
    throw unsavedResponse(error) ?? error;
  }
  return redirect(safeRedirectPath(sent.get("back")), 303);
}

export default function Bulk({ loaderData }: Route.ComponentProps) {
  const isRunning = useLive(loaderData.jobs).some(({ state }) => state === "running");
  return (
    <Page>
      <PageHeader title="Bulk actions" />
      <p className="text-soft">
        {isRunning ? "This page updates automatically until the bulk actions are finished." : "No bulk action is running."}
      </p>
    </Page>
  );
}
