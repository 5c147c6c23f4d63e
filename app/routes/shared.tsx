import { useRef } from "react";
import { convexFor } from "~/lib/data/convex.server";
import { LATER_PAGES } from "~/lib/data/pagination/pages";
import { useEndless } from "~/lib/data/pagination/use-endless";
import { liveRevalidation } from "~/lib/data/should-revalidate";
import { serverAction } from "~/lib/forms/action.server";
import { constraintOf } from "~/lib/forms/constraint.server";
import { ItemDialogs, useItemDialogs } from "~/lib/forms/dialogs/item-dialogs";
import { MenuForm } from "~/lib/forms/dialogs/menu-action";
import { liveAction } from "~/lib/forms/live-action";
import { configContext } from "~/lib/http/context";
import type { PreloadOf } from "~/lib/data/preload";
import { useLive } from "~/lib/data/use-live";
import { OwnRights } from "~/lib/rights/rights";
import { savedLinkIntents } from "~/features/links/manage/link-intents";
import { linkAddress } from "~/features/links/link-token.server";
import { SavedLinkList } from "~/features/links/saved/saved-link-list";
import { useLoadAddresses } from "~/features/links/visitor/use-load-addresses";
import { DensityPicker } from "~/features/images/gallery/density-picker";
import { projectIntents } from "~/features/projects/intents";
import { memberIntents } from "~/features/projects/member-intents";
import { SharedProjectCard } from "~/features/projects/shared-project-card";
import { useContextMenu } from "~/features/selection/commands/use-context-menu";
import { selectableProps } from "~/features/selection/selectable";
import { EmptyState } from "~/lib/ui/empty-state";
import { CardGrid } from "~/lib/ui/item-card";
import { MorePages } from "~/lib/ui/navigation/more-pages";
import { Page, PageHeader } from "~/lib/ui/page";
import { api } from "#convex/_generated/api";
import { renameProject } from "#convex/model/rules";
import type { Route } from "./+types/shared";

export const meta: Route.MetaFunction = () => [{ title: "Shared with me · Atelier" }];

const SHOWN = 60;

export async function loader({ context, url }: Route.LoaderArgs) {
  const cursor = url.searchParams.get(LATER_PAGES);
  const convex = convexFor(context);
  const config = context.get(configContext);
  const [projects, links] = await Promise.all([
    convex.preload(api.members.listSharedProjects, { paginationOpts: { cursor, numItems: SHOWN } }),
    cursor === null && config.publicLinks.enabled ? convex.preload(api.links.listSaved, {}) : null,
  ]);
  const addresses = Object.fromEntries(
    (links?.value ?? []).map(({ _id, sealedToken }) => [_id, sealedToken === null ? null : linkAddress(config, sealedToken)]),
  );
  return { projects, links, addresses, isFirst: cursor === null, constraint: constraintOf(renameProject) };
}

const { renameProject: rename, favouriteProject, duplicateProject, latestCoverProject } = projectIntents;
const { leaveProject } = memberIntents;
const intents = { renameProject: rename, favouriteProject, duplicateProject, latestCoverProject, leaveProject, ...savedLinkIntents };

export const action = serverAction(intents);
export const clientAction = liveAction(intents);
export const shouldRevalidate = liveRevalidation;

export default function Shared({ loaderData }: Route.ComponentProps) {
  const page = useEndless(loaderData.projects);
  const projects = page.rows;
  const dialogs = useItemDialogs(projects);
  const list = useRef<HTMLUListElement>(null);
  useContextMenu(list);
  return (
    <Page>
      <PageHeader title="Shared with me">{projects.length > 0 ? <DensityPicker className="max-lg:hidden" /> : null}</PageHeader>
      <MenuForm />
      {projects.length > 0 ? (
        <CardGrid label="Projects" ref={list}>
          {projects.map((project) => (
            <li key={project._id} {...selectableProps(project)}>
              <OwnRights role={project.role}>
                <SharedProjectCard project={project} openDialog={dialogs.setOpenDialog} />
              </OwnRights>
            </li>
          ))}
        </CardGrid>
      ) : (
        <EmptyState title="No shared projects" text="Projects that other people share with you appear here." />
      )}
      <MorePages itemNoun="projects" page={{ ...page, isFirst: loaderData.isFirst }} />
      {loaderData.links ? <SavedLinks preloaded={loaderData.links} addresses={loaderData.addresses} /> : null}
      <ItemDialogs state={dialogs} thing="project" intent="renameProject" constraint={loaderData.constraint} />
    </Page>
  );
}

type SavedLinksProps = { preloaded: PreloadOf<typeof api.links.listSaved>; addresses: Record<string, string | null> };

function SavedLinks({ preloaded, addresses }: SavedLinksProps) {
  const links = useLive(preloaded);
  useLoadAddresses(links, addresses);
  if (links.length === 0) return null;
  return (
    <section aria-labelledby="saved-links" className="grid gap-4">
      <h2 id="saved-links" className="text-lg">
        Saved links
      </h2>
      <SavedLinkList links={links} addresses={addresses} />
    </section>
  );
}
