import { titleOf, useTitle } from "~/lib/ui/use-title";
import { ClipboardCheck, RotateCcwClock, Images, Star, Trash } from "lucide";
import { useMemo, useRef } from "react";
import { href, useSearchParams } from "react-router";
import { projectArchive } from "~/features/downloads/download-address";
import { useItemCommands } from "~/features/selection/commands/use-item-commands";
import { useReordering } from "~/features/reordering/use-reordering";
import { DestinationPicker } from "~/features/selection/destinations/destination-picker";
import { DownloadLink } from "~/features/downloads/download-link";
import { convexFor } from "~/lib/data/convex.server";
import { joinPreloads } from "~/lib/data/joined-queries";
import { pageOf, preloadPage } from "~/lib/data/pagination/pages";
import { useEndless } from "~/lib/data/pagination/use-endless";
import { isPending } from "~/lib/data/pending";
import { reviewIn, FAVOURITES, SORT, sortIn, viewIn } from "~/lib/data/pagination/sorting";
import { FavouritesFilter, NoFavourites } from "~/lib/ui/navigation/favourites-filter";
import { liveRevalidation } from "~/lib/data/should-revalidate";
import { useLive } from "~/lib/data/use-live";
import { DesignCard } from "~/features/designs/design-card";
import { type Design, designIntents } from "~/features/designs/intents";
import { serverAction } from "~/lib/forms/action.server";
import { FavouriteButton } from "~/lib/forms/items/favourite-button";
import { constraintOf } from "~/lib/forms/constraint.server";
import { CreateButton, CreateDialog } from "~/lib/forms/dialogs/create-dialog";
import { INTENT_FIELD, intentWith } from "~/lib/forms/intents";
import { ItemDialogs, useItemDialogs } from "~/lib/forms/dialogs/item-dialogs";
import { liveAction } from "~/lib/forms/live-action";
import { MenuForm } from "~/lib/forms/dialogs/menu-action";
import { InlineName } from "~/lib/forms/fields/inline-name";
import { Description, DescriptionDialog } from "~/lib/forms/dialogs/description-dialog";
import { PageMenu } from "~/lib/forms/dialogs/page-menu";
import { RemoveButton } from "~/lib/forms/dialogs/remove-button";
import { ItemActions } from "~/lib/forms/items/item-actions";
import { ShareLink } from "~/lib/forms/items/share-link";
import { DensityPicker } from "~/features/images/gallery/density-picker";
import { expectCovers } from "~/features/images/serve/expect-covers.server";
import { MembersLink } from "~/features/projects/members-link";
import { projectsCrumb } from "~/features/projects/projects-crumb";
import { type ProjectPage, projectIntents } from "~/features/projects/intents";
import { selectableProps } from "~/features/selection/selectable";
import { ReviewDialogs } from "~/features/review/review-dialog";
import { NoneWithStatus, ReviewFilter } from "~/features/review/review-filter";
import { reviewIntents } from "~/features/review/review-intents";
import { ReviewSelection } from "~/features/review/review-selection";
import { SELECTION_FIELDS } from "~/features/selection/address";
import { SelectLink } from "~/features/selection/select-link";
import { SelectionBar } from "~/features/selection/selection-bar";
import { usePointerSelection } from "~/features/selection/use-pointer-selection";
import { scopeField } from "~/features/selection/whole-selection";
import { type Selection, useSelection } from "~/features/selection/use-selection";
import { OwnRights, useMayRun } from "~/lib/rights/rights";
import { Button, ButtonLink } from "~/lib/ui/inputs/button";
import type { ProjectHandle } from "~/features/shell/open-project";
import { Breadcrumb } from "~/lib/ui/navigation/breadcrumb";
import { count } from "~/lib/ui/count";
import { EmptyState } from "~/lib/ui/empty-state";
import { Icon } from "~/lib/ui/icons/icon";
import { CardGrid } from "~/lib/ui/item-card";
import { MorePages } from "~/lib/ui/navigation/more-pages";
import { MenuLink } from "~/lib/ui/overlays/menu";
import { Page, PageHeader } from "~/lib/ui/page";
import { PageTarget } from "~/features/uploads/client/file-selection/upload-provider";
import { LIST_ORDERS, SortMenu } from "~/lib/ui/navigation/sort-menu";
import { api } from "#convex/_generated/api";
import { countWith } from "#convex/model/review/statuses";
import { createDesign, describe, renameProject } from "#convex/model/rules";
import { TrashedBoundary } from "~/features/trash/trashed-boundary";
import { notFoundUnlessTrashed } from "~/features/trash/not-found-unless-trashed.server";
import type { Route } from "./+types/project";

export const meta: Route.MetaFunction = ({ loaderData }) => [{ title: titleOf(loaderData?.project.value.name ?? "Project") }];

export const loader = (args: Route.LoaderArgs) => notFoundUnlessTrashed(args.context, args.params.id, () => load(args));

const JOINED_ROWS_MAX = 50;

async function load({ params: { id }, context, url }: Route.LoaderArgs) {
  const convex = convexFor(context);
  const [project, designs] = await Promise.all([
    convex.preload(api.projects.getProjectById, { id }),
    preloadPage(url, {
      first: () => convex.preload(api.designs.getDesignsByProjectId, { projectId: id, ...viewIn(url), ...reviewIn(url) }),
      later: (paginationOpts) =>
        convex.preload(api.designs.listDesigns, { projectId: id, ...sortIn(url), ...reviewIn(url), paginationOpts }),
    }),
  ]);
  const { rows } = pageOf(designs.value);
  // Every change of a design changes its project too.
  if (Array.isArray(designs.value) && rows.length <= JOINED_ROWS_MAX) joinPreloads(project, designs);
  await expectCovers(context, rows);
  return {
    project,
    designs,
    filter: reviewIn(url).review,
    constraints: {
      project: constraintOf(renameProject),
      design: constraintOf(createDesign),
      description: constraintOf(describe),
    },
  };
}

const { renameProject: rename, describeProject, removeProject, favouriteProject, duplicateProject, latestCoverProject } = projectIntents;
const ofProject = { renameProject: rename, describeProject, removeProject, favouriteProject, duplicateProject, latestCoverProject };
const { reviewItem, reviewDesigns } = reviewIntents;
const intents = { ...designIntents, ...ofProject, reviewItem, reviewDesigns };

export const action = serverAction(intents, SELECTION_FIELDS);
export const clientAction = liveAction(intents, SELECTION_FIELDS);
export const handle: ProjectHandle<Route.ComponentProps["loaderData"]> = { projectOf: ({ project }) => project.value };

export const shouldRevalidate = liveRevalidation;

export default function Project({ loaderData }: Route.ComponentProps) {
  const project = useLive(loaderData.project);
  return (
    <OwnRights role={project.role}>
      <ProjectView key={loaderData.project.value._id} project={project} loaderData={loaderData} />
    </OwnRights>
  );
}

function ProjectView({ project, loaderData }: Pick<Route.ComponentProps, "loaderData"> & { project: ProjectPage }) {
  const mayRun = useMayRun();
  useTitle(titleOf(project.name));
  const page = useEndless(loaderData.designs, api.designs.listDesigns);
  const designs = page.rows;
  const dialogs = useItemDialogs(designs, ["rename", "status"]);
  const { filter } = loaderData;
  const total = countWith(filter, project.designCount, project.reviews?.designs);
  const list = useRef<HTMLUListElement>(null);
  const onlyFavourites = useSearchParams()[0].has(FAVOURITES);
  const next = total > designs.length && !onlyFavourites ? page.next : null;
  const selection = useSelection(
    useMemo(() => designs.filter(({ _id }) => !isPending(_id)).map(({ _id }) => _id), [designs]),
    onlyFavourites ? undefined : { field: scopeField("project", project._id, filter), total },
  );
  usePointerSelection(list, selection);
  const dropTargets = useItemCommands(list, {
    items: designs,
    openDialog: dialogs.setOpenDialog,
    remove: "removeDesign",
    duplicate: "duplicateDesign",
    bulk: {
      kind: "design",
      selection,
      remove: "trashDesigns",
      copy: "copyDesigns",
      move: "moveDesigns",
      into: project._id,
    },
  });
  const isManual = useSearchParams()[0].get(SORT) === "manual" && filter === undefined;
  useReordering(list, {
    on: isManual && !selection.on && mayRun("orderDesign"),
    intent: "orderDesign",
    items: designs,
    page: { ...page, next },
    total,
    dropTargets,
  });
  const { constraints } = loaderData;
  return (
    <Page>
      <PageTarget target={{ kind: "project", id: project._id, name: project.name }} />
      <PageHeader
        trail={<Breadcrumb trail={[projectsCrumb(project)]} />}
        title={<InlineName item={project} thing="project" intent="renameProject" constraint={constraints.project} />}
        summary={designs.length > 0 ? `${count(project.designCount, "design")}, ${count(project.imageCount, "image")}` : null}
        tools={
          <>
            {project.imageCount > 0 ? (
              <ButtonLink {...tool("All images")} to={href("/projects/:id/images", { id: project._id })}>
                <Icon of={Images} />
              </ButtonLink>
            ) : null}
            <ButtonLink {...tool("Activity")} to={href("/projects/:id/activity", { id: project._id })}>
              <Icon of={RotateCcwClock} />
            </ButtonLink>
            <DownloadLink archive={projectArchive(project)} label="Download project" />
            <FavouriteButton item={project} intent="favouriteProject" />
            <PageMenu thing="project">
              <ItemActions thing="Project" item={project} isPageItem />
              <MenuLink to={href("/projects/:id/review", { id: project._id })} icon={<Icon of={ClipboardCheck} />} data-command="Review">
                Review
              </MenuLink>
              <MembersLink projectId={project._id} isPageItem />
              <ShareLink projectId={project._id} command="Public links of the project" />
            </PageMenu>
            <RemoveButton intent="removeProject" values={{ id: project._id }} aria-label="Delete project" data-tooltip="Delete project">
              <Icon of={Trash} />
            </RemoveButton>
          </>
        }
        about={<Description item={project} field="description" text={project.description} />}
      >
        {designs.length > 0 ? <DensityPicker className="max-lg:hidden" /> : null}
        {designs.length > 0 ? <SelectLink selection={selection} /> : null}
        {designs.length > 1 && filter === undefined ? <SortMenu orders={LIST_ORDERS} /> : null}
        {(designs.length > 0 && filter === undefined) || onlyFavourites ? <FavouritesFilter /> : null}
        {(designs.length > 0 && !onlyFavourites) || filter !== undefined ? <ReviewFilter filter={filter} /> : null}
        {designs.length > 0 ? <CreateButton thing="design" /> : null}
      </PageHeader>
      <MenuForm />
      <SelectionBar selection={selection} thing="design" trash="trashDesigns" parentId={project._id}>
        <FavouriteChosen selection={selection} designs={designs} />
        <ReviewSelection thing="design" />
      </SelectionBar>
      {designs.length > 0 ? (
        <CardGrid label="Designs" ref={list}>
          {designs.map((design) => (
            <li key={design._id} {...selectableProps(design)}>
              <DesignCard design={design} openDialog={dialogs.setOpenDialog} isManual={isManual} selection={selection} />
            </li>
          ))}
        </CardGrid>
      ) : filter !== undefined ? (
        <NoneWithStatus filter={filter} things="designs" />
      ) : onlyFavourites ? (
        <NoFavourites things="designs" />
      ) : (
        <EmptyState
          title={page.isFirst ? "No designs yet" : "No more designs"}
          text={mayRun("createDesign") ? FIRST_DESIGN : "Designs appear here when the owner or an editor adds them."}
          action={<CreateButton thing="design" />}
        />
      )}
      <DestinationPicker />
      <MorePages itemNoun="designs" page={{ ...page, next }} />
      <CreateDialog
        thing="design"
        intent="createDesign"
        placeholder="Cover"
        constraint={constraints.design}
        hidden={{ projectId: project._id }}
      />
      <DescriptionDialog
        item={project}
        field="description"
        text={project.description}
        hint="Optional description, included in search."
        intent="describeProject"
        constraint={constraints.description}
      />
      <ReviewDialogs state={dialogs} items={designs} isImage={false} />
      <ItemDialogs state={dialogs} thing="design" intent="renameDesign" constraint={constraints.design} />
    </Page>
  );
}

function FavouriteChosen({ selection: { chosen, onOtherPages, whole }, designs }: { selection: Selection; designs: Design[] }) {
  const areAll =
    chosen.length > 0 && onOtherPages.length === 0 && !whole && designs.every(({ _id, favourite }) => favourite || !chosen.includes(_id));
  return (
    <Button
      type="submit"
      variant="ghost"
      size="sm"
      name={INTENT_FIELD}
      value={intentWith("favouriteDesigns", { favourite: areAll ? "" : "yes" })}
    >
      <Icon of={Star} />
      {areAll ? "Remove from favourites" : "Favourite"}
    </Button>
  );
}

const FIRST_DESIGN =
  "A design contains the images of one idea, such as screens, photographs or drafts. Create your first design, then add images.";

const tool = (label: string) =>
  ({ variant: "ghost", size: "icon-sm", "aria-label": label, "data-tooltip": label, "data-command": "" }) as const;

export function ErrorBoundary({ error }: Route.ErrorBoundaryProps) {
  return <TrashedBoundary error={error} />;
}
