import { useMemo, useRef } from "react";
import { href, Link } from "react-router";
import { visitor } from "~/accounts/session.server";
import { convexFor } from "~/data/convex.server";
import { LATER_PAGES } from "~/data/pages";
import { liveRevalidation } from "~/data/should-revalidate";
import { useEndless } from "~/data/use-endless";
import { useSameRows } from "~/data/same-rows";
import { useLive } from "~/data/use-live";
import { serverAction } from "~/forms/action.server";
import { liveAction } from "~/forms/live-action";
import { configContext } from "~/http/context";
import { imageIntents } from "~/images/intents";
import { picturesFor } from "~/images/pictures.server";
import { WallPicture } from "~/images/wall-picture";
import { SelectionBar, SelectLink } from "~/selection/selection-bar";
import { usePicking } from "~/selection/use-picking";
import { useSelection } from "~/selection/use-selection";
import type { ProjectHandle } from "~/shell/open-project";
import { Breadcrumb } from "~/ui/breadcrumb";
import { count } from "~/ui/count";
import { EmptyState } from "~/ui/empty-state";
import { MorePages } from "~/ui/more-pages";
import { Page, PageHeader } from "~/ui/page";
import { api } from "#convex/_generated/api";
import type { WallGroup } from "#convex/wall";
import type { Route } from "./+types/project.images";

export const meta: Route.MetaFunction = ({ loaderData }) => [
  { title: `Images of ${loaderData?.project.value.name ?? "project"} · Atelier` },
];

const SHOWN = 100;

export async function loader({ params: { id }, context, url }: Route.LoaderArgs) {
  const convex = convexFor(context);
  const cursor = url.searchParams.get(LATER_PAGES);
  const [project, wall, who] = await Promise.all([
    convex.preload(api.projects.getProjectById, { id }),
    convex.preload(api.wall.listProjectImages, { projectId: id, paginationOpts: { cursor, numItems: SHOWN } }),
    visitor(context),
  ]);
  const images = wall.value.page.flatMap((group) => group.images);
  if (who) picturesFor(context.get(configContext)).grants.note(who.sessionId, images);
  return { project, wall, isFirst: cursor === null };
}

const { trashImages, tagImages, untagImages } = imageIntents;
const intents = { trashImages, tagImages, untagImages };

export const action = serverAction(intents);
export const clientAction = liveAction(intents);
export const handle: ProjectHandle<Route.ComponentProps["loaderData"]> = { projectOf: ({ project }) => project.value._id };

export const shouldRevalidate = liveRevalidation;

/** Groups page by page as one list: a design that goes on over the end of a page stands there once, as does each of its images. */
function joined(pages: WallGroup[][]): WallGroup[] {
  const groups = new Map<string, WallGroup>();
  const known = new Set<string>();
  for (const { design, images } of pages.flat()) {
    const others = images.filter(({ _id }) => !known.has(_id));
    for (const { _id } of others) known.add(_id);
    groups.set(design._id, { design, images: [...(groups.get(design._id)?.images ?? []), ...others] });
  }
  return [...groups.values()];
}

/** The same groups with these images, in the same order. */
function withImages(groups: WallGroup[], images: WallGroup["images"]): WallGroup[] {
  let from = 0;
  return groups.map((group) => ({ ...group, images: images.slice(from, (from += group.images.length)) }));
}

/** All images of a project on one wall, design by design. */
export default function ProjectImages({ loaderData }: Route.ComponentProps) {
  const project = useLive(loaderData.project);
  const wallPages = useEndless(loaderData.wall);
  const groups = useMemo(() => joined(wallPages.pages), [wallPages.pages]);
  const images = useSameRows(useMemo(() => groups.flatMap((group) => group.images), [groups]));
  const page = useMemo(() => withImages(groups, images), [groups, images]);
  const wall = useRef<HTMLDivElement>(null);
  const selection = useSelection(
    useMemo(() => images.map(({ _id }) => _id), [images]),
    !loaderData.isFirst || wallPages.next !== null,
  );
  usePicking(wall, selection);
  return (
    <Page>
      <PageHeader
        trail={
          <Breadcrumb
            trail={[
              { to: href("/projects"), name: "Projects" },
              { to: href("/projects/:id", { id: project._id }), name: project.name },
            ]}
          />
        }
        title="All images"
        facts={count(project.imageCount, "image")}
      >
        {page.length > 0 ? <SelectLink selection={selection} /> : null}
      </PageHeader>
      <SelectionBar selection={selection} thing="image" trash="trashImages" />
      <div ref={wall} className="grid grid-cols-[minmax(0,1fr)] gap-6 empty:hidden md:gap-8">
        {page.map(({ design, images }) => (
          <section key={design._id} className="grid gap-3">
            <h2 className="text-base font-medium">
              <Link
                to={href("/design/:id", { id: design._id })}
                prefetch="intent"
                className="inline-block py-0.5 hover:underline pointer-coarse:py-3"
              >
                {design.name}
              </Link>
            </h2>
            <ul aria-label={`Images of ${design.name}`} className="gallery">
              {images.map((image) => (
                <WallPicture key={image._id} image={image} selection={selection} />
              ))}
            </ul>
          </section>
        ))}
      </div>
      {page.length === 0 ? (
        <EmptyState title="No images yet" text="The images of all designs of this project are shown here together." />
      ) : null}
      <MorePages things="images" page={{ ...wallPages, isFirst: loaderData.isFirst }} />
    </Page>
  );
}
