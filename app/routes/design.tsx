import { Trash2 } from "lucide-react";
import { useMemo, useState } from "react";
import { data, href, Outlet, redirect, type ShouldRevalidateFunctionArgs, useSearchParams } from "react-router";
import { readCookie } from "~/accounts/cookies";
import { visitor } from "~/accounts/session.server";
import { designArchive } from "~/archives/address";
import { DownloadLink } from "~/archives/download-link";
import { connectedConvex } from "~/data/connection";
import { convexFor } from "~/data/convex.server";
import { pageOf, preloadPage } from "~/data/pages";
import { type Endless, useEndless } from "~/data/use-endless";
import { imageSortIn, SORT } from "~/data/sorting";
import { liveRevalidation } from "~/data/should-revalidate";
import { useLive } from "~/data/use-live";
import { serverAction } from "~/forms/action.server";
import { constraintOf } from "~/forms/constraint.server";
import { ItemDialogs, useItemDialogs } from "~/forms/item-dialogs";
import { liveAction } from "~/forms/live-action";
import { MenuForm } from "~/forms/menu-action";
import { NameInPlace } from "~/forms/name-in-place";
import { Prose, ProseDialog } from "~/forms/prose-dialog";
import { PageMenu } from "~/forms/page-menu";
import { RemoveButton, RemoveDialog } from "~/forms/remove-dialog";
import { configContext } from "~/http/context";
import { acceptedText, AddImages, AddImagesLabel } from "~/images/add-images";
import { Gallery, useGalleryView } from "~/images/gallery";
import { DesignActions } from "~/designs/design-actions";
import { type DesignImage, designPageIntents, imageIntents } from "~/images/intents";
import { picturesFor } from "~/images/pictures.server";
import { isUpload, takeUploads } from "~/images/take.server";
import { isUploadAnswer } from "~/images/upload";
import { UploadResults } from "~/images/upload-results";
import { SelectionBar, SelectLink } from "~/selection/selection-bar";
import { useSelection } from "~/selection/use-selection";
import { Tags } from "~/tags/tags";
import { PageTarget } from "~/uploads/uploading";
import type { ProjectHandle } from "~/shell/open-project";
import { Breadcrumb } from "~/ui/breadcrumb";
import { count } from "~/ui/count";
import { EmptyState } from "~/ui/empty-state";
import { Icon } from "~/ui/icon";
import { MorePages } from "~/ui/more-pages";
import { Page, PageHeader } from "~/ui/page";
import { choiceFrom, GALLERY_VIEW_COOKIE, GALLERY_VIEWS } from "~/ui/preferences";
import { once } from "~/rendering/once.server";
import { IMAGE_ORDERS, SortMenu } from "~/ui/sort-menu";
import { api } from "#convex/_generated/api";
import { describe, renameDesign, renameDesignImage } from "#convex/rules";
import { TrashedBoundary } from "~/trash/trashed-boundary";
import { unlessTrashed } from "~/trash/unless-trashed.server";
import type { Route } from "./+types/design";

export const meta: Route.MetaFunction = ({ loaderData }) => {
  const name = loaderData?.design.value.name ?? "Design";
  return [{ title: `${name} · Atelier` }, { name: "description", content: `The images of the design ${name}.` }];
};

export const loader = (args: Route.LoaderArgs) => unlessTrashed(args.context, args.params.id, () => load(args));

async function load({ request, params: { id }, url, context }: Route.LoaderArgs) {
  const convex = convexFor(context);
  const config = context.get(configContext);
  const [design, images, who, knownTags] = await Promise.all([
    convex.preload(api.designs.getDesignById, { id }),
    preloadPage(url, {
      first: () => convex.preload(api.designImages.getDesignImagesByDesignId, { designId: id, ...imageSortIn(url) }),
      later: (paginationOpts) => convex.preload(api.designImages.listDesignImages, { designId: id, ...imageSortIn(url), paginationOpts }),
    }),
    visitor(context),
    convex.preload(api.tags.getTags, {}),
  ]);
  const project = await convex.preload(api.projects.getProjectById, { id: design.value.projectId });
  if (who) picturesFor(config).grants.note(who.sessionId, pageOf(images.value).rows);
  return {
    design,
    images,
    knownTags,
    project: { ...project, value: { _id: project.value._id, name: project.value.name } },
    sending: once(context),
    maxBytes: config.uploadMaxBytes,
    view: choiceFrom(GALLERY_VIEWS, readCookie(request.headers, GALLERY_VIEW_COOKIE)),
    constraints: {
      design: constraintOf(renameDesign),
      image: constraintOf(renameDesignImage),
      description: constraintOf(describe),
    },
  };
}

const intents = { ...designPageIntents, ...imageIntents };

export async function action(args: Route.ActionArgs) {
  const { request, params, context } = args;
  if (!isUpload(request)) return serverAction(intents)(args);
  const answer = await takeUploads(request, params.id, context);
  const added = answer.results.filter(({ ok }) => ok).length;
  if (added === answer.results.length && !answer.problem) throw redirect(`${href("/design/:id", params)}?added=${added}`, 303);
  return data(answer, { status: 422, statusText: "Unprocessable Content" });
}

export const clientAction = liveAction(intents);

export const handle: ProjectHandle<Route.ComponentProps["loaderData"]> = { projectOf: ({ design }) => design.value.projectId };

/** Looking at one picture and then at another, over the gallery or alone, changes nothing that is loaded here. */
export function shouldRevalidate(args: ShouldRevalidateFunctionArgs): boolean {
  const { currentUrl, nextUrl, currentParams, nextParams, formMethod } = args;
  const staysHere = currentParams["id"] === nextParams["id"];
  const turns = staysHere && nextParams["imageId"] !== undefined && formMethod === undefined && currentUrl.href !== nextUrl.href;
  if (turns && connectedConvex()) return false;
  return liveRevalidation(staysHere ? { ...args, currentParams: nextParams } : args);
}

/** The gallery of a design, and over it the picture that is looked at. What is entered by a picture's own address has no gallery behind it. */
export default function Design({ loaderData, actionData, params }: Route.ComponentProps) {
  const viewing = "imageId" in params && params.imageId !== undefined;
  const [beneath, setBeneath] = useState(!viewing);
  if (!viewing && !beneath) setBeneath(true);
  // As far as the gallery has been gone through, so does the picture know where it stands.
  const images = useEndless(loaderData.images, api.designImages.listDesignImages);
  return (
    <>
      {beneath || !viewing ? (
        <div className="design-page">
          <DesignPage key={loaderData.design.value._id} loaderData={loaderData} actionData={actionData} page={images} />
        </div>
      ) : null}
      <Outlet context={images satisfies ImagesOfDesign} />
    </>
  );
}

/** What the design's page tells the picture over it. */
export type ImagesOfDesign = Endless<DesignImage>;

function DesignPage({ loaderData, actionData, page }: Pick<Route.ComponentProps, "loaderData" | "actionData"> & { page: ImagesOfDesign }) {
  const { constraints, sending, maxBytes } = loaderData;
  const design = useLive(loaderData.design);
  const project = useLive(loaderData.project);
  const knownTags = useLive(loaderData.knownTags);
  const images = page.rows;
  const { view, choice } = useGalleryView(loaderData.view);
  const dialogs = useItemDialogs(images);
  const [search] = useSearchParams();
  const added = Number(search.get("added"));
  const next = design.imageCount > images.length ? page.next : null;
  const isPart = !page.isFirst || next !== null;
  const selection = useSelection(
    useMemo(() => images.map(({ _id }) => _id), [images]),
    isPart,
  );

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
        title={<NameInPlace key={design._id} item={design} thing="design" intent="renameDesign" constraint={constraints.design} />}
        facts={design.imageCount > 0 ? count(design.imageCount, "image") : null}
        tools={
          <>
            <DownloadLink archive={designArchive(design)} label="Download design" />
            <PageMenu thing="design">
              <DesignActions design={design} here />
            </PageMenu>
            <RemoveButton item={design} aria-label="Delete design" data-tooltip="Delete design">
              <Icon of={Trash2} />
            </RemoveButton>
          </>
        }
        about={
          <>
            {design.description === "" ? null : <Prose item={design} field="description" text={design.description} />}
            <div className="flex items-start gap-3">
              <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-4 gap-y-1">
                {design.description === "" ? <Prose item={design} field="description" text="" /> : null}
                <Tags item={design} intents={{ add: "tagDesign", remove: "untagDesign" }} known={knownTags} />
              </div>
              {images.length > 0 ? choice : null}
            </div>
          </>
        }
      >
        {images.length > 0 ? <SelectLink selection={selection} /> : null}
        {images.length > 1 ? <SortMenu orders={IMAGE_ORDERS} /> : null}
        <AddImages design={design} sending={sending} maxBytes={maxBytes} look={images.length > 0 ? "primary" : "quiet"} />
      </PageHeader>
      <MenuForm />

      {isUploadAnswer(actionData) ? <UploadResults answer={actionData} /> : null}
      {added > 0 && !actionData ? <output>{count(added, "image")} added.</output> : null}

      <SelectionBar selection={selection} thing="image" trash="trashImages" />
      {images.length > 0 ? (
        <Gallery
          images={images}
          ask={dialogs.ask}
          projectId={project._id}
          byHand={!search.has(SORT)}
          view={view}
          page={{ ...page, next }}
          total={design.imageCount}
          selection={selection}
        />
      ) : (
        <EmptyState
          title={page.isFirst ? "No images yet" : "No more images"}
          text={`Drop files anywhere on this page, or choose several at once. ${acceptedText(maxBytes)}`}
          action={<AddImagesLabel>Add images</AddImagesLabel>}
        />
      )}
      <MorePages things="images" page={{ ...page, next }} />

      <PageTarget target={{ kind: "design", id: design._id, name: design.name }} />
      <ProseDialog
        key={`about ${design._id}`}
        item={design}
        field="description"
        text={design.description}
        hint="What it shows, or is for. The search finds it by these words."
        intent="describeDesign"
        constraint={constraints.description}
      />
      <RemoveDialog
        key={design._id}
        item={design}
        thing="design"
        loses="goes to the trash with all of its images."
        intent="removeDesign"
        hidden={{ projectId: design.projectId }}
      />
      <ItemDialogs
        state={dialogs}
        thing="image"
        loses="goes to the trash."
        intents={{ rename: "renameImage", remove: "removeImage" }}
        constraint={constraints.image}
      />
    </Page>
  );
}

export function ErrorBoundary({ error }: Route.ErrorBoundaryProps) {
  return <TrashedBoundary error={error} />;
}
