import { History, Images, Star, Trash2 } from "lucide-react";
import { useMemo, useRef } from "react";
import { href, useSearchParams } from "react-router";
import { projectArchive } from "~/archives/address";
import { useArranging } from "~/arranging/use-arranging";
import { DownloadLink } from "~/archives/download-link";
import { convexFor } from "~/data/convex.server";
import { preloadPage } from "~/data/pages";
import { useEndless } from "~/data/use-endless";
import { isPending } from "~/data/pending";
import { SORT, sortIn } from "~/data/sorting";
import { liveRevalidation } from "~/data/should-revalidate";
import { useLive } from "~/data/use-live";
import { DesignCard } from "~/designs/design-card";
import { type Design, designIntents } from "~/designs/intents";
import { serverAction } from "~/forms/action.server";
import { constraintOf } from "~/forms/constraint.server";
import { CreateButton, CreateDialog } from "~/forms/create-dialog";
import { INTENT_FIELD, intentWith } from "~/forms/intents";
import { ItemDialogs, useItemDialogs } from "~/forms/item-dialogs";
import { liveAction } from "~/forms/live-action";
import { MenuForm } from "~/forms/menu-action";
import { NameInPlace } from "~/forms/name-in-place";
import { Prose, ProseDialog } from "~/forms/prose-dialog";
import { PageMenu } from "~/forms/page-menu";
import { RemoveButton, RemoveDialog } from "~/forms/remove-dialog";
import { ProjectActions } from "~/projects/project-actions";
import { projectIntents } from "~/projects/intents";
import { pickProps } from "~/selection/pick";
import { SelectionBar, SelectLink } from "~/selection/selection-bar";
import { usePicking } from "~/selection/use-picking";
import { type Selection, useSelection } from "~/selection/use-selection";
import { Button, ButtonLink } from "~/ui/button";
import type { ProjectHandle } from "~/shell/open-project";
import { Breadcrumb } from "~/ui/breadcrumb";
import { count } from "~/ui/count";
import { EmptyState } from "~/ui/empty-state";
import { Icon } from "~/ui/icon";
import { CardGrid } from "~/ui/item-card";
import { MorePages } from "~/ui/more-pages";
import { Page, PageHeader } from "~/ui/page";
import { PageTarget } from "~/uploads/uploading";
import { LIST_ORDERS, SortMenu } from "~/ui/sort-menu";
import { api } from "#convex/_generated/api";
import { createDesign, describe, renameProject } from "#convex/rules";
import { TrashedBoundary } from "~/trash/trashed-boundary";
import { unlessTrashed } from "~/trash/unless-trashed.server";
import type { Route } from "./+types/project";

export const meta: Route.MetaFunction = ({ loaderData }) => [{ title: `${loaderData?.project.value.name ?? "Project"} · Atelier` }];

export const loader = (args: Route.LoaderArgs) => unlessTrashed(args.context, args.params.id, () => load(args));

async function load({ params: { id }, context, url }: Route.LoaderArgs) {
  const convex = convexFor(context);
  const [project, designs] = await Promise.all([
    convex.preload(api.projects.getProjectById, { id }),
    preloadPage(url, {
      first: () => convex.preload(api.designs.getDesignsByProjectId, { projectId: id, ...sortIn(url) }),
      later: (paginationOpts) => convex.preload(api.designs.listDesigns, { projectId: id, ...sortIn(url), paginationOpts }),
    }),
  ]);
  return {
    project,
    designs,
    constraints: {
      project: constraintOf(renameProject),
      design: constraintOf(createDesign),
      description: constraintOf(describe),
    },
  };
}

const { renameProject: rename, describeProject, removeProject, favouriteProject, duplicateProject, latestCoverProject } = projectIntents;
const ofProject = { renameProject: rename, describeProject, removeProject, favouriteProject, duplicateProject, latestCoverProject };
const intents = { ...designIntents, ...ofProject };

export const action = serverAction(intents);
export const clientAction = liveAction(intents);
export const handle: ProjectHandle<Route.ComponentProps["loaderData"]> = { projectOf: ({ project }) => project.value._id };

export const shouldRevalidate = liveRevalidation;

export default function Project({ loaderData }: Route.ComponentProps) {
  // What is half typed, or asked, about one project is not about the next.
  return <OneProject key={loaderData.project.value._id} loaderData={loaderData} />;
}

function OneProject({ loaderData }: Pick<Route.ComponentProps, "loaderData">) {
  const project = useLive(loaderData.project);
  const page = useEndless(loaderData.designs, api.designs.listDesigns);
  const designs = page.rows;
  const dialogs = useItemDialogs(designs);
  const list = useRef<HTMLUListElement>(null);
  const next = project.designCount > designs.length ? page.next : null;
  const isPart = !page.isFirst || next !== null;
  const selection = useSelection(
    useMemo(() => designs.filter(({ _id }) => !isPending(_id)).map(({ _id }) => _id), [designs]),
    isPart,
  );
  usePicking(list, selection);
  const byHand = useSearchParams()[0].get(SORT) === "manual";
  useArranging(list, {
    on: byHand && !selection.on,
    intent: "orderDesign",
    items: designs,
    page: { ...page, next },
    total: project.designCount,
  });
  const { constraints } = loaderData;
  return (
    <Page>
      <PageTarget target={{ kind: "project", id: project._id, name: project.name }} />
      <PageHeader
        trail={<Breadcrumb trail={[{ to: href("/projects"), name: "Projects" }]} />}
        title={<NameInPlace item={project} thing="project" intent="renameProject" constraint={constraints.project} />}
        facts={designs.length > 0 ? `${count(project.designCount, "design")}, ${count(project.imageCount, "image")}` : null}
        tools={
          <>
            {project.imageCount > 0 ? (
              <ButtonLink {...tool("All images")} to={href("/projects/:id/images", { id: project._id })}>
                <Icon of={Images} />
              </ButtonLink>
            ) : null}
            <ButtonLink {...tool("Activity")} to={href("/projects/:id/activity", { id: project._id })}>
              <Icon of={History} />
            </ButtonLink>
            <DownloadLink archive={projectArchive(project)} label="Download project" />
            <PageMenu thing="project">
              <ProjectActions project={project} here />
            </PageMenu>
            <RemoveButton item={project} aria-label="Delete project" data-tooltip="Delete project">
              <Icon of={Trash2} />
            </RemoveButton>
          </>
        }
        about={<Prose item={project} field="description" text={project.description} />}
      >
        {designs.length > 0 ? <SelectLink selection={selection} /> : null}
        {designs.length > 1 ? <SortMenu orders={LIST_ORDERS} /> : null}
        {designs.length > 0 ? <CreateButton thing="design" /> : null}
      </PageHeader>
      <MenuForm />
      <SelectionBar selection={selection} thing="design" trash="trashDesigns">
        <FavouriteChosen selection={selection} designs={designs} />
      </SelectionBar>
      {designs.length > 0 ? (
        <CardGrid label="Designs" ref={list}>
          {designs.map((design) => (
            <li key={design._id} {...pickProps(design)}>
              <DesignCard design={design} ask={dialogs.ask} byHand={byHand} selection={selection} />
            </li>
          ))}
        </CardGrid>
      ) : (
        <EmptyState
          title={page.isFirst ? "No designs yet" : "No more designs"}
          text="A design collects the images of one idea: screens, photographs, drafts. Make the first one, then add its images."
          action={<CreateButton thing="design" />}
        />
      )}
      <MorePages things="designs" page={{ ...page, next }} />
      <CreateDialog
        thing="design"
        intent="createDesign"
        placeholder="Cover"
        constraint={constraints.design}
        hidden={{ projectId: project._id }}
      />
      <ProseDialog
        item={project}
        field="description"
        text={project.description}
        hint="What it is for. The search finds it by these words."
        intent="describeProject"
        constraint={constraints.description}
      />
      <RemoveDialog item={project} thing="project" loses="goes to the trash with all of its designs and images." intent="removeProject" />
      <ItemDialogs
        state={dialogs}
        thing="design"
        loses="goes to the trash with all of its images."
        intents={{ rename: "renameDesign", remove: "removeDesign" }}
        constraint={constraints.design}
      />
    </Page>
  );
}

/** Makes all that is chosen favourites; or, where all of it is, no longer. */
function FavouriteChosen({ selection: { chosen, elsewhere }, designs }: { selection: Selection; designs: Design[] }) {
  const areAll = chosen.length > 0 && elsewhere.length === 0 && designs.every(({ _id, favourite }) => favourite || !chosen.includes(_id));
  return (
    <Button
      type="submit"
      look="ghost"
      size="sm"
      name={INTENT_FIELD}
      value={intentWith("favouriteDesigns", { favourite: areAll ? "" : "yes" })}
    >
      <Icon of={Star} />
      {areAll ? "No favourites" : "Favourite"}
    </Button>
  );
}

const tool = (label: string) =>
  ({ look: "ghost", size: "icon-sm", "aria-label": label, "data-tooltip": label, "data-command": "" }) as const;

export function ErrorBoundary({ error }: Route.ErrorBoundaryProps) {
  return <TrashedBoundary error={error} />;
}
