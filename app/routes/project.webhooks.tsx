import { type ClientActionFunctionArgs, href } from "react-router";
import { projectsCrumb } from "~/features/projects/projects-crumb";
import type { ProjectHandle } from "~/features/shell/open-project";
import { createWebhook } from "~/features/webhooks/create-webhook.server";
import { CreateWebhookForm } from "~/features/webhooks/webhook-form";
import { webhookIntents } from "~/features/webhooks/webhook-intents";
import { WebhookList } from "~/features/webhooks/webhook-list";
import { convexFor } from "~/lib/data/convex.server";
import { liveRevalidation } from "~/lib/data/should-revalidate";
import { useLive } from "~/lib/data/use-live";
import { serverAction } from "~/lib/forms/action.server";
import { INTENT_FIELD, textOf } from "~/lib/forms/intents";
import { liveAction } from "~/lib/forms/live-action";
import { configContext } from "~/lib/http/context";
import { readFormData } from "~/lib/http/forms/form.server";
import { isolate } from "~/lib/ui/isolate";
import { Breadcrumb } from "~/lib/ui/navigation/breadcrumb";
import { Page, PageHeader } from "~/lib/ui/page";
import { titleOf, useTitle } from "~/lib/ui/use-title";
import { api } from "#convex/_generated/api";
import type { Route } from "./+types/project.webhooks";

export const meta: Route.MetaFunction = ({ loaderData }) => [
  { title: titleOf(`Webhooks of ${isolate(loaderData?.project.value.name ?? "project")}`) },
];

export async function loader({ params: { id }, context }: Route.LoaderArgs) {
  const convex = convexFor(context);
  const [project, webhooks] = await Promise.all([
    convex.preload(api.projects.getProjectById, { id }),
    convex.preload(api.webhooks.list, { projectId: id }),
  ]);
  return { project, webhooks, enabled: context.get(configContext).webhooks };
}

export async function action(args: Route.ActionArgs) {
  const { request, context, params } = args;
  const sent = await readFormData(request);
  return (await createWebhook({ request, context, projectId: params.id, sent })) ?? serverAction(webhookIntents)(args);
}

const runLive = liveAction(webhookIntents);

export async function clientAction(args: ClientActionFunctionArgs) {
  const intent = textOf(await args.request.clone().formData(), INTENT_FIELD);
  return intent in webhookIntents ? runLive(args) : args.serverAction();
}

export const handle: ProjectHandle<Route.ComponentProps["loaderData"]> = { projectOf: ({ project }) => project.value };

export const shouldRevalidate = liveRevalidation;

export default function ProjectWebhooks({ loaderData }: Route.ComponentProps) {
  const project = useLive(loaderData.project);
  const webhooks = useLive(loaderData.webhooks);
  useTitle(titleOf(`Webhooks of ${isolate(project.name)}`));
  return (
    <Page>
      <PageHeader
        trail={<Breadcrumb trail={[projectsCrumb(project), { to: href("/projects/:id", { id: project._id }), name: project.name }]} />}
        title="Webhooks"
      />
      <section aria-labelledby="new-webhook" className="grid max-w-3xl gap-4">
        <h2 id="new-webhook" className="text-lg">
          New webhook
        </h2>
        {loaderData.enabled ? (
          <CreateWebhookForm />
        ) : (
          <p className="text-soft">Webhooks are turned off. Existing webhooks receive nothing.</p>
        )}
      </section>
      <section aria-labelledby="webhooks" className="grid max-w-3xl gap-4">
        <h2 id="webhooks" className="text-lg">
          Webhooks
        </h2>
        <WebhookList projectId={project._id} webhooks={webhooks} />
      </section>
    </Page>
  );
}
