import { isolate } from "~/lib/ui/isolate";
import { titleOf, useTitle } from "~/lib/ui/use-title";
import { Download, Trash } from "lucide";
import { type ReactNode, useMemo, useRef, useState } from "react";
import { data, href, Outlet, redirect, useSearchParams } from "react-router";
import { readCookie } from "~/features/accounts/session/cookies";
import { getVisitor } from "~/features/accounts/session/session.server";
import { designArchive } from "~/features/downloads/download-address";
import { DownloadLink } from "~/features/downloads/download-link";
import { convexFor } from "~/lib/data/convex.server";
import { joinPreloads } from "~/lib/data/joined-queries";
import { pageOf, preloadPage } from "~/lib/data/pagination/pages";
import { type Endless, useEndless } from "~/lib/data/pagination/use-endless";
import { imageSortIn, reviewIn, SORT } from "~/lib/data/pagination/sorting";
import { liveDesignRevalidation } from "~/lib/data/should-revalidate";
import { useLive } from "~/lib/data/use-live";
import { serverAction } from "~/lib/forms/action.server";
import { FavouriteButton } from "~/lib/forms/items/favourite-button";
import { constraintOf } from "~/lib/forms/constraint.server";
import { ItemDialogs, useItemDialogs } from "~/lib/forms/dialogs/item-dialogs";
import { liveAction } from "~/lib/forms/live-action";
import { MenuAction, MenuForm } from "~/lib/forms/dialogs/menu-action";
import { InlineName } from "~/lib/forms/fields/inline-name";
import { Description, DescriptionDialog } from "~/lib/forms/dialogs/description-dialog";
import { PageMenu } from "~/lib/forms/dialogs/page-menu";
import { RemoveButton } from "~/lib/forms/dialogs/remove-button";
import { OwnRights, useMay, useMayRun } from "~/lib/rights/rights";
import { configContext } from "~/lib/http/context";
import { acceptedText, AddImages, AddImagesLabel } from "~/features/uploads/client/file-selection/add-images";
import { Gallery, useGalleryView } from "~/features/images/gallery/gallery";
import { type DesignPage as ShownDesign, designIntents } from "~/features/designs/intents";
import { DesignCommentsLink } from "~/features/comments/design-comments-link";
import { usePresence } from "~/features/presence/use-presence";
import { projectsCrumb } from "~/features/projects/projects-crumb";
import { DesignActions } from "~/features/designs/design-actions";
import { type DesignImage, designPageIntents, imageIntents } from "~/features/images/gallery/image-intents";
import { useItemCommands } from "~/features/selection/commands/use-item-commands";
import { DestinationPicker } from "~/features/selection/destinations/destination-picker";
import { imageServiceFor } from "~/features/images/serve/image-service.server";
import { isUpload, handleMultipartUpload } from "~/features/uploads/server/handle-multipart-upload.server";
import { isUploadAnswer } from "~/features/uploads/upload-result";
import { UploadResults } from "~/features/uploads/client/tray/upload-results";
import { PageReviewDialog, ReviewDialogs } from "~/features/review/review-dialog";
import { NoneWithStatus, ReviewFilter } from "~/features/review/review-filter";
import { reviewIntents } from "~/features/review/review-intents";
import { ReviewSection } from "~/features/review/review-section";
import { ReviewSelection } from "~/features/review/review-selection";
import { SELECTION_FIELDS } from "~/features/selection/address";
import { SelectLink } from "~/features/selection/select-link";
import { SelectionBar } from "~/features/selection/selection-bar";
import { scopeField } from "~/features/selection/whole-selection";
import { useSelection } from "~/features/selection/use-selection";
import { Tags } from "~/features/tags/tags";
import { requestLimitOf } from "~/features/uploads/server/request-limit.server";
import { PageTarget } from "~/features/uploads/client/file-selection/upload-provider";
import type { ProjectHandle } from "~/features/shell/open-project";
import { Breadcrumb } from "~/lib/ui/navigation/breadcrumb";
import { count } from "~/lib/ui/count";
import { EmptyState } from "~/lib/ui/empty-state";
import { Icon } from "~/lib/ui/icons/icon";
import { MorePages } from "~/lib/ui/navigation/more-pages";
import { MenuLink } from "~/lib/ui/overlays/menu";
import { Page, PageAbout, PageHeader } from "~/lib/ui/page";
import { choiceFrom, GALLERY_VIEW_COOKIE, GALLERY_VIEWS } from "~/lib/ui/theme/preferences";
import { once } from "~/lib/rendering/send-once.server";
import { IMAGE_ORDERS, SortMenu } from "~/lib/ui/navigation/sort-menu";
import { api } from "#convex/_generated/api";
import { countWith, STATUS_NAMES } from "#convex/model/review/statuses";
import { describe, renameDesign, renameDesignImage } from "#convex/model/rules";
import { TrashedBoundary } from "~/features/trash/trashed-boundary";
import { notFoundUnlessTrashed } from "~/features/trash/not-found-unless-trashed.server";
import type { Route } from "./+types/design";

export const meta: Route.MetaFunction = ({ loaderData }) => {
  const name = loaderData?.design.value.name ?? "Design";
  return [{ title: titleOf(name) }, { name: "description", content: `The images of the design ${isolate(name)}.` }];
};

export const loader = (args: Route.LoaderArgs) => notFoundUnlessTrashed(args.context, args.params.id, () => load(args));

async function load({ request, params: { id }, url, context }: Route.LoaderArgs) {
  const convex = convexFor(context);
  const config = context.get(configContext);
  const [design, project, images, visitor, knownTags, review] = await Promise.all([
    convex.preload(api.designs.getDesignById, { id }),
    convex.preload(api.designs.getProject, { id }),
    preloadPage(url, {
      first: () => convex.preload(api.designImages.getDesignImagesByDesignId, { designId: id, ...imageSortIn(url), ...reviewIn(url) }),
      later: (paginationOpts) =>
        convex.preload(api.designImages.listDesignImages, { designId: id, ...imageSortIn(url), ...reviewIn(url), paginationOpts }),
    }),
    getVisitor(context),
    convex.preload(api.tags.getTags, {}),
    convex.preload(api.reviews.getReview, { id }),
  ]);
  // An upload changes the design and its images. A list with further pages is followed alone.
  const list = pageOf(images.value);
  joinPreloads(design, project, review, ...(list.isFirst && list.next === null ? [images] : []));
  if (visitor) imageServiceFor(config).accessCache.storePage(visitor.sessionId, list.rows);
  return {
    design,
    images,
    knownTags,
    review,
    filter: reviewIn(url).review,
    project,
    sending: once(context),
    maxBytes: config.uploadMaxBytes,
    requestLimit: requestLimitOf(config).known(),
    view: choiceFrom(GALLERY_VIEWS, readCookie(request.headers, GALLERY_VIEW_COOKIE)),
    constraints: {
      design: constraintOf(renameDesign),
      image: constraintOf(renameDesignImage),
      description: constraintOf(describe),
    },
  };
}

const { moveDesigns, copyDesigns } = designIntents;
const { reviewItem, reviewImages } = reviewIntents;
const intents = { ...designPageIntents, ...imageIntents, moveDesigns, copyDesigns, reviewItem, reviewImages };

export async function action(args: Route.ActionArgs) {
  const { request, params, context } = args;
  if (!isUpload(request)) return serverAction(intents, SELECTION_FIELDS)(args);
  const answer = await handleMultipartUpload(request, params.id, context);
  const added = answer.results.filter(({ ok }) => ok).length;
  if (added === answer.results.length && !answer.problem) throw redirect(`${href("/design/:id", params)}?added=${added}`, 303);
  return data(answer, { status: 422, statusText: "Unprocessable Content" });
}

export const clientAction = liveAction(intents, SELECTION_FIELDS);

export const handle: ProjectHandle<Route.ComponentProps["loaderData"]> = {
  projectOf: ({ design: { value } }) => ({ _id: value.projectId, role: value.role }),
};

export const shouldRevalidate = liveDesignRevalidation;

export default function Design({ loaderData, actionData, params }: Route.ComponentProps) {
  const viewing = "imageId" in params && params.imageId !== undefined;
  const [beneath, setBeneath] = useState(!viewing);
  if (!viewing && !beneath) setBeneath(true);
  const design = useLive(loaderData.design);
  const images = useEndless(loaderData.images, api.designImages.listDesignImages);
  const presence = usePresence(design.role !== undefined);
  return (
    <OwnRights role={design.role}>
      {presence ? <presence.Tracker designId={design._id} imageId={viewing ? params.imageId : undefined} /> : null}
      {beneath || !viewing ? (
        <div className="design-page">
          <DesignPage
            key={loaderData.design.value._id}
            design={design}
            loaderData={loaderData}
            actionData={actionData}
            page={images}
            isBehindViewer={viewing}
            presence={presence && !viewing ? <presence.DesignPresence designId={design._id} /> : null}
          />
        </div>
      ) : null}
      {/* Also for a picture that was opened by its own address. */}
      <PageTarget target={{ kind: "design", id: loaderData.design.value._id, name: loaderData.design.value.name }} />
      <DestinationPicker />
      <Outlet context={images satisfies ImagesOfDesign} />
    </OwnRights>
  );
}

export type ImagesOfDesign = Endless<DesignImage>;

type DesignPageProps = Pick<Route.ComponentProps, "loaderData" | "actionData"> & {
  design: ShownDesign;
  page: ImagesOfDesign;
  isBehindViewer: boolean;
  presence: ReactNode;
};

function DesignPage({ design, loaderData, actionData, page, isBehindViewer, presence }: DesignPageProps) {
  const { constraints, sending, maxBytes, requestLimit, filter } = loaderData;
  const mayEdit = useMay()("edit");
  const mayRun = useMayRun();
  useTitle(isBehindViewer ? null : titleOf(design.name));
  const project = useLive(loaderData.project);
  const knownTags = useLive(loaderData.knownTags);
  const images = page.rows;
  const { view, choice } = useGalleryView(loaderData.view);
  const review = useLive(loaderData.review);
  const dialogs = useItemDialogs(images, ["rename", "status"]);
  const archive = designArchive(design);
  const removes = { intent: "removeDesign", values: { id: design._id, projectId: design.projectId } } as const;
  const [search] = useSearchParams();
  const added = Number(search.get("added"));
  const total = countWith(filter, design.imageCount, design.imageReviews);
  const next = total > images.length ? page.next : null;
  const selection = useSelection(
    useMemo(() => images.map(({ _id }) => _id), [images]),
    { field: scopeField("design", design._id, filter), total },
  );
  const list = useRef<HTMLUListElement>(null);
  const dropTargets = useItemCommands(list, {
    items: images,
    openDialog: dialogs.setOpenDialog,
    remove: "removeImage",
    duplicate: "duplicateImage",
    bulk: {
      kind: "image",
      selection,
      remove: "trashImages",
      copy: "copyImages",
      move: "moveImages",
      into: design._id,
    },
  });

  return (
    <Page>
      <PageHeader
        trail={<Breadcrumb trail={[projectsCrumb(design), { to: href("/projects/:id", { id: project._id }), name: project.name }]} />}
        title={<InlineName key={design._id} item={design} thing="design" intent="renameDesign" constraint={constraints.design} />}
        summary={design.imageCount > 0 ? count(design.imageCount, "image") : null}
        tools={
          <>
            {presence}
            <span className="max-sm:hidden">
              <DownloadLink archive={archive} label="Download design" />
            </span>
            <FavouriteButton item={design} intent="favouriteDesign" />
            <DesignCommentsLink design={design} />
            <PageMenu thing="design">
              <DesignActions design={design} isPageItem>
                {archive === undefined ? null : (
                  <MenuLink
                    to={archive}
                    reloadDocument
                    prefetch="none"
                    className="menu-item sm:hidden"
                    data-command="Download design"
                    icon={<Icon of={Download} />}
                  >
                    Download
                  </MenuLink>
                )}
              </DesignActions>
              <MenuAction {...removes} icon={<Icon of={Trash} />} danger className="menu-item sm:hidden" command="Delete design">
                Move to trash
              </MenuAction>
            </PageMenu>
            <RemoveButton {...removes} aria-label="Delete design" data-tooltip="Delete design" className="max-sm:hidden">
              <Icon of={Trash} />
            </RemoveButton>
          </>
        }
        compact
        about={
          <PageAbout summary={aboutText(design, mayEdit)} beside={images.length > 0 ? choice : null}>
            {design.description === "" ? null : <Description item={design} field="description" text={design.description} />}
            <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-4 gap-y-1">
              {design.description === "" ? <Description item={design} field="description" text="" /> : null}
              <Tags item={design} intents={{ add: "tagDesign", remove: "untagDesign" }} knownTags={knownTags} />
              <ReviewSection item={design} review={review} />
            </div>
          </PageAbout>
        }
      >
        {images.length > 0 ? <SelectLink selection={selection} /> : null}
        {images.length > 1 && filter === undefined ? <SortMenu orders={IMAGE_ORDERS} /> : null}
        {images.length > 1 || filter !== undefined ? <ReviewFilter filter={filter} /> : null}
        <AddImages
          design={design}
          sending={sending}
          maxBytes={maxBytes}
          requestLimit={requestLimit}
          variant={images.length > 0 ? "primary" : "quiet"}
        />
      </PageHeader>
      <MenuForm />

      {isUploadAnswer(actionData) ? <UploadResults answer={actionData} /> : null}
      {added > 0 && !actionData ? <output>{count(added, "image")} added.</output> : null}

      <SelectionBar selection={selection} thing="image" trash="trashImages" parentId={design._id}>
        <ReviewSelection thing="image" />
      </SelectionBar>
      {images.length > 0 ? (
        <Gallery
          list={list}
          images={images}
          openDialog={dialogs.setOpenDialog}
          projectId={project._id}
          isManual={!search.has(SORT) && filter === undefined && mayRun("orderImage")}
          view={view}
          page={{ ...page, next }}
          total={total}
          dropTargets={dropTargets}
          selection={selection}
        />
      ) : filter !== undefined ? (
        <NoneWithStatus filter={filter} things="images" />
      ) : (
        <EmptyState
          title={page.isFirst ? "No images yet" : "No more images"}
          text={
            mayEdit ? (
              <>
                <span className="noscript:hidden">Drop files anywhere on this page, or choose several at once.</span>
                <span className="hidden noscript:inline">Choose one or more files above.</span> {acceptedText(maxBytes)}
              </>
            ) : (
              "Images appear here when the owner or an editor adds them."
            )
          }
          action={<AddImagesLabel>Add images</AddImagesLabel>}
        />
      )}
      <MorePages itemNoun="images" page={{ ...page, next }} />

      <DescriptionDialog
        key={`about ${design._id}`}
        item={design}
        field="description"
        text={design.description}
        hint="Optional description, included in search."
        intent="describeDesign"
        constraint={constraints.description}
      />
      <PageReviewDialog key={`review ${design._id}`} item={design} isImage={false} />
      <ReviewDialogs state={dialogs} items={images} isImage />
      <ItemDialogs state={dialogs} thing="image" intent="renameImage" constraint={constraints.image} />
    </Page>
  );
}

function aboutText({ tags = [], description, review }: ShownDesign, mayEdit: boolean): string {
  const parts = [
    review ? STATUS_NAMES[review.status] : "",
    tags.length > 0 ? count(tags.length, "tag") : "",
    isolate(description.replaceAll(/\s+/g, " ")),
  ].filter((part) => part !== "");
  return parts.length > 0 ? parts.join(" · ") : mayEdit ? "Description and tags" : "No description or tags";
}

export function ErrorBoundary({ error }: Route.ErrorBoundaryProps) {
  return <TrashedBoundary error={error} />;
}
