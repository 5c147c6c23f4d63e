import { isolate } from "~/lib/ui/isolate";
import { titleOf, useTitle } from "~/lib/ui/use-title";
import { useMemo, useRef } from "react";
import { href } from "react-router";
import { getVisitor } from "~/features/accounts/session/session.server";
import { convexFor } from "~/lib/data/convex.server";
import { LATER_PAGES } from "~/lib/data/pagination/pages";
import { REVIEW } from "~/lib/data/pagination/sorting";
import { liveRevalidation } from "~/lib/data/should-revalidate";
import { useEndless } from "~/lib/data/pagination/use-endless";
import { useStableRows } from "~/lib/data/pagination/stable-rows";
import { useLive } from "~/lib/data/use-live";
import { serverAction } from "~/lib/forms/action.server";
import { liveAction } from "~/lib/forms/live-action";
import { OwnRights } from "~/lib/rights/rights";
import { configContext } from "~/lib/http/context";
import type { ProjectPage } from "~/features/projects/intents";
import { projectsCrumb } from "~/features/projects/projects-crumb";
import { imageIntents } from "~/features/images/gallery/image-intents";
import { imageServiceFor } from "~/features/images/serve/image-service.server";
import { DensityPicker } from "~/features/images/gallery/density-picker";
import { GalleryImage } from "~/features/images/gallery/gallery-image";
import { NoneWithStatus, ReviewFilter } from "~/features/review/review-filter";
import { reviewIntents } from "~/features/review/review-intents";
import { ReviewSelection } from "~/features/review/review-selection";
import { SELECTION_FIELDS } from "~/features/selection/address";
import { SelectLink } from "~/features/selection/select-link";
import { SelectionBar } from "~/features/selection/selection-bar";
import { usePointerSelection } from "~/features/selection/use-pointer-selection";
import { scopeField } from "~/features/selection/whole-selection";
import { useSelection } from "~/features/selection/use-selection";
import type { ProjectHandle } from "~/features/shell/open-project";
import { PageTarget } from "~/features/uploads/client/file-selection/upload-provider";
import { Breadcrumb } from "~/lib/ui/navigation/breadcrumb";
import { count } from "~/lib/ui/count";
import { EmptyState } from "~/lib/ui/empty-state";
import { Link } from "~/lib/ui/navigation/link";
import { MorePages } from "~/lib/ui/navigation/more-pages";
import { Page, PageHeader } from "~/lib/ui/page";
import { useDensity } from "~/lib/ui/theme/density";
import { useItemCommands } from "~/features/selection/commands/use-item-commands";
import { DestinationPicker } from "~/features/selection/destinations/destination-picker";
import { api } from "#convex/_generated/api";
import { countWith, REVIEW_STATUSES, type ReviewStatus } from "#convex/model/review/statuses";
import type { ProjectImagesGroup } from "#convex/wall";
import type { Route } from "./+types/project.images";

export const meta: Route.MetaFunction = ({ loaderData }) => [
  { title: titleOf(`Images of ${isolate(loaderData?.project.value.name ?? "project")}`) },
];

const SHOWN = 100;

/** Excludes "none": no index lists images without a status for a project. */
function statusIn(url: URL): { review?: ReviewStatus } {
  const review = REVIEW_STATUSES.find((each) => each === url.searchParams.get(REVIEW));
  return review === undefined ? {} : { review };
}

export async function loader({ params: { id }, context, url }: Route.LoaderArgs) {
  const convex = convexFor(context);
  const cursor = url.searchParams.get(LATER_PAGES);
  const [project, groups, visitor] = await Promise.all([
    convex.preload(api.projects.getProjectById, { id }),
    convex.preload(api.wall.listProjectImages, { projectId: id, ...statusIn(url), paginationOpts: { cursor, numItems: SHOWN } }),
    getVisitor(context),
  ]);
  const images = groups.value.page.flatMap((group) => group.images);
  if (visitor) imageServiceFor(context.get(configContext)).accessCache.storePage(visitor.sessionId, images);
  return { project, groups, isFirst: cursor === null, filter: statusIn(url).review };
}

const { reviewImages } = reviewIntents;
const { trashImages, tagImages, untagImages, moveImages, copyImages } = imageIntents;
const intents = { trashImages, tagImages, untagImages, moveImages, copyImages, reviewImages };

export const action = serverAction(intents, SELECTION_FIELDS);
export const clientAction = liveAction(intents, SELECTION_FIELDS);
export const handle: ProjectHandle<Route.ComponentProps["loaderData"]> = { projectOf: ({ project }) => project.value };

export const shouldRevalidate = liveRevalidation;

function joined(pages: ProjectImagesGroup[][]): ProjectImagesGroup[] {
  const groups = new Map<string, ProjectImagesGroup>();
  const shownIds = new Set<string>();
  for (const { design, images } of pages.flat()) {
    const otherImages = images.filter(({ _id }) => !shownIds.has(_id));
    for (const { _id } of otherImages) shownIds.add(_id);
    groups.set(design._id, { design, images: [...(groups.get(design._id)?.images ?? []), ...otherImages] });
  }
  return [...groups.values()];
}

function withImages(groups: ProjectImagesGroup[], images: ProjectImagesGroup["images"]): ProjectImagesGroup[] {
  let from = 0;
  return groups.map((group) => ({ ...group, images: images.slice(from, (from += group.images.length)) }));
}

export default function ProjectImages({ loaderData }: Route.ComponentProps) {
  const project = useLive(loaderData.project);
  return (
    <OwnRights role={project.role}>
      <Images project={project} loaderData={loaderData} />
    </OwnRights>
  );
}

function Images({ project, loaderData }: Pick<Route.ComponentProps, "loaderData"> & { project: ProjectPage }) {
  useTitle(titleOf(`Images of ${isolate(project.name)}`));
  const groupPages = useEndless(loaderData.groups);
  const groups = useMemo(() => joined(groupPages.pages), [groupPages.pages]);
  const images = useStableRows(useMemo(() => groups.flatMap((group) => group.images), [groups]));
  const page = useMemo(() => withImages(groups, images), [groups, images]);
  const container = useRef<HTMLDivElement>(null);
  const density = useDensity();
  const { filter } = loaderData;
  const total = countWith(filter, project.imageCount, project.reviews?.images);
  const selection = useSelection(
    useMemo(() => images.map(({ _id }) => _id), [images]),
    { field: scopeField("project", project._id, filter), total },
  );
  usePointerSelection(container, selection);
  useItemCommands(container, {
    items: images,
    bulk: { kind: "image", selection, remove: "trashImages", copy: "copyImages", move: "moveImages", into: null },
  });
  return (
    <Page>
      <PageTarget target={{ kind: "project", id: project._id, name: project.name }} />
      <PageHeader
        trail={<Breadcrumb trail={[projectsCrumb(project), { to: href("/projects/:id", { id: project._id }), name: project.name }]} />}
        title="All images"
        summary={count(total, "image")}
      >
        {page.length > 0 ? <SelectLink selection={selection} /> : null}
        {page.length > 0 || filter !== undefined ? <ReviewFilter filter={filter} choices={REVIEW_STATUSES} /> : null}
        {page.length > 0 ? <DensityPicker /> : null}
      </PageHeader>
      <DestinationPicker />
      <SelectionBar selection={selection} thing="image" trash="trashImages">
        <ReviewSelection thing="image" />
      </SelectionBar>
      <div ref={container} className="grid grid-cols-[minmax(0,1fr)] gap-6 empty:hidden md:gap-8">
        {page.map(({ design, images }) => (
          <section key={design._id} className="grid gap-3">
            <h2 className="text-base font-medium">
              <Link
                to={href("/design/:id", { id: design._id })}
                prefetch="intent"
                dir="auto"
                className="inline-block py-0.5 hover:underline pointer-coarse:py-3"
              >
                {design.name}
              </Link>
            </h2>
            <ul aria-label={`Images of ${isolate(design.name)}`} className="gallery">
              {images.map((image) => (
                <GalleryImage key={image._id} image={image} density={density} selection={selection} />
              ))}
            </ul>
          </section>
        ))}
      </div>
      {page.length > 0 ? null : filter === undefined ? (
        <EmptyState title="No images yet" text="The images of all designs in this project appear here." />
      ) : (
        <NoneWithStatus filter={filter} things="images" />
      )}
      <MorePages itemNoun="images" page={{ ...groupPages, isFirst: loaderData.isFirst }} />
    </Page>
  );
}
