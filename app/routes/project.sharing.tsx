import { type ClientActionFunctionArgs, href, type ShouldRevalidateFunctionArgs } from "react-router";
import { commentIntents } from "~/features/comments/comment-intents";
import { CreateLinkForm } from "~/features/links/manage/link-form";
import { linkIntents } from "~/features/links/manage/link-intents";
import { LinkList } from "~/features/links/manage/link-list";
import { linkAddress } from "~/features/links/link-token.server";
import { useLoadAddresses } from "~/features/links/visitor/use-load-addresses";
import { manageLinks } from "~/features/links/manage/manage-links.server";
import { projectsCrumb } from "~/features/projects/projects-crumb";
import type { ProjectHandle } from "~/features/shell/open-project";
import { convexFor } from "~/lib/data/convex.server";
import { LATER_PAGES } from "~/lib/data/pagination/pages";
import { useEndless } from "~/lib/data/pagination/use-endless";
import { liveRevalidation } from "~/lib/data/should-revalidate";
import { useLive } from "~/lib/data/use-live";
import { serverAction } from "~/lib/forms/action.server";
import { SHARED_ITEM } from "~/lib/forms/items/shared-item";
import { INTENT_FIELD, textOf } from "~/lib/forms/intents";
import { liveAction } from "~/lib/forms/live-action";
import { configContext } from "~/lib/http/context";
import { readFormData } from "~/lib/http/forms/form.server";
import { once } from "~/lib/rendering/send-once.server";
import { isolate } from "~/lib/ui/isolate";
import { Link } from "~/lib/ui/navigation/link";
import { Breadcrumb } from "~/lib/ui/navigation/breadcrumb";
import { MorePages } from "~/lib/ui/navigation/more-pages";
import { Page, PageHeader } from "~/lib/ui/page";
import { titleOf, useTitle } from "~/lib/ui/use-title";
import { api } from "#convex/_generated/api";
import type { Route } from "./+types/project.sharing";

export const meta: Route.MetaFunction = ({ loaderData }) => [
  { title: titleOf(`Public links of ${isolate(loaderData?.project.value.name ?? "project")}`) },
];

const SHOWN = 50;

export async function loader({ params: { id }, context, url }: Route.LoaderArgs) {
  const convex = convexFor(context);
  const cursor = url.searchParams.get(LATER_PAGES);
  const [project, links, item] = await Promise.all([
    convex.preload(api.projects.getProjectById, { id }),
    convex.preload(api.links.list, { projectId: id, paginationOpts: { cursor, numItems: SHOWN } }),
    itemIn(convex, url.searchParams.get(SHARED_ITEM)),
  ]);
  const config = context.get(configContext);
  // Only the app server can decrypt the sealed tokens.
  const addresses = Object.fromEntries(links.value.page.map(({ _id, sealedToken }) => [_id, linkAddress(config, sealedToken)]));
  return {
    project,
    links,
    item,
    addresses,
    isFirst: cursor === null,
    formKey: once(context),
    enabled: config.publicLinks.enabled,
    webhooks: config.webhooks,
  };
}

async function itemIn(convex: ReturnType<typeof convexFor>, itemId: string | null) {
  if (itemId === null) return null;
  const { kind, name } = (await convex.preload(api.links.getItem, { itemId })).value;
  return { id: itemId, kind, name };
}

const INTENTS = { ...linkIntents, removeLinkComments: commentIntents.removeLinkComments };

export async function action(args: Route.ActionArgs) {
  const { request, context, params } = args;
  const sent = await readFormData(request);
  return (await manageLinks({ request, context, projectId: params.id, sent })) ?? serverAction(INTENTS)(args);
}

const runLive = liveAction(INTENTS);

export async function clientAction(args: ClientActionFunctionArgs) {
  const intent = textOf(await args.request.clone().formData(), INTENT_FIELD);
  return intent in INTENTS ? runLive(args) : args.serverAction();
}

export const handle: ProjectHandle<Route.ComponentProps["loaderData"]> = { projectOf: ({ project }) => project.value };

/** Reloads after each form, because only the loader returns the addresses of new links. */
export const shouldRevalidate = (args: ShouldRevalidateFunctionArgs): boolean =>
  (args.formMethod !== undefined && args.formMethod !== "GET") || liveRevalidation(args);

export default function ProjectSharing({ loaderData }: Route.ComponentProps) {
  const project = useLive(loaderData.project);
  useTitle(titleOf(`Public links of ${isolate(project.name)}`));
  const page = useEndless(loaderData.links);
  const { addresses, item } = loaderData;
  useLoadAddresses(page.rows, addresses);
  const target = item ?? { id: project._id, kind: "project" as const, name: project.name };
  return (
    <Page>
      <PageHeader
        trail={<Breadcrumb trail={[projectsCrumb(project), { to: href("/projects/:id", { id: project._id }), name: project.name }]} />}
        title="Public links"
      />
      <section aria-labelledby="new-link" className="grid max-w-3xl gap-4">
        <h2 id="new-link" className="text-lg wrap-anywhere">
          New link to the {target.kind} “{isolate(target.name)}”
        </h2>
        {loaderData.enabled ? (
          <CreateLinkForm key={target.id} item={target} formKey={loaderData.formKey} />
        ) : (
          <p className="text-soft">The operator has turned off public links. Existing links do not open.</p>
        )}
      </section>
      <section aria-labelledby="links" className="grid max-w-3xl gap-4">
        <h2 id="links" className="text-lg">
          Links
        </h2>
        <LinkList projectId={project._id} links={page.rows} addresses={addresses} />
        {/* Separate pages, because only the server can decrypt the addresses of further links. */}
        <MorePages itemNoun="links" page={{ isFirst: loaderData.isFirst, next: page.next }} />
      </section>
      {loaderData.webhooks ? (
        <p className="text-soft">
          Notify other programs of new images, comments and reviews:{" "}
          <Link
            to={href("/projects/:id/webhooks", { id: project._id })}
            prefetch="intent"
            className="text-accent-text underline underline-offset-4"
          >
            Webhooks
          </Link>
        </p>
      ) : null}
    </Page>
  );
}
