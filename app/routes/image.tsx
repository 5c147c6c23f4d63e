import type { FunctionReturnType } from "convex/server";
import { memo, useDeferredValue, useEffect, useEffectEvent, useMemo } from "react";
import { titleOf, useTitle } from "~/lib/ui/use-title";
import { useLastDefined } from "~/lib/ui/use-last-defined";
import {
  type ClientActionFunctionArgs,
  data,
  href,
  redirect,
  useFetchers,
  useNavigation,
  useOutletContext,
  useRouteLoaderData,
} from "react-router";
import { readCookie } from "~/features/accounts/session/cookies";
import { getVisitor } from "~/features/accounts/session/session.server";
import { convexFor } from "~/lib/data/convex.server";
import { notFoundResponse } from "~/lib/data/error-responses";
import { joinPreloads } from "~/lib/data/joined-queries";
import { liveRevalidation } from "~/lib/data/should-revalidate";
import { useLive } from "~/lib/data/use-live";
import { serverAction } from "~/lib/forms/action.server";
import { isDocumentRequest } from "~/lib/forms/is-document-request.server";
import { constraintOf } from "~/lib/forms/constraint.server";
import { liveAction } from "~/lib/forms/live-action";
import { ActionForm } from "~/lib/forms/dialogs/menu-action";
import { MENU_FORM } from "~/lib/forms/dialogs/menu-forms";
import { InlineName } from "~/lib/forms/fields/inline-name";
import { Description, DescriptionDialog } from "~/lib/forms/dialogs/description-dialog";
import { configContext } from "~/lib/http/context";
import { setFlash } from "~/lib/http/middleware/flash.server";
import { ImageActions } from "~/features/images/viewer/image-actions";
import { ImageDetails } from "~/features/images/viewer/image-details";
import { type DesignImage, imagePageIntents } from "~/features/images/gallery/image-intents";
import { backfillMetadata } from "~/features/images/serve/backfill-metadata.server";
import { imageServiceFor } from "~/features/images/serve/image-service.server";
import { isUpload, handleMultipartUpload } from "~/features/uploads/server/handle-multipart-upload.server";
import { isUploadAnswer, type UploadAnswer } from "~/features/uploads/upload-result";
import { usePresence } from "~/features/presence/use-presence";
import { type Version, Versions } from "~/features/images/viewer/versions";
import type { AdjacentImages } from "~/features/images/viewer/adjacent-images";
import { useOpenImage } from "~/features/images/viewer/use-open-image";
import { Viewer } from "~/features/images/viewer/viewer";
import { once } from "~/lib/rendering/send-once.server";
import { PageReviewDialog } from "~/features/review/review-dialog";
import { reviewIntents } from "~/features/review/review-intents";
import { ReviewSection } from "~/features/review/review-section";
import { Tags } from "~/features/tags/tags";
import { choiceFrom, BACKGROUND_COOKIE, BACKGROUNDS } from "~/lib/ui/theme/preferences";
import { api } from "#convex/_generated/api";
import { captionImage, renameDesignImage } from "#convex/model/rules";
import { TrashedBoundary } from "~/features/trash/trashed-boundary";
import { notFoundUnlessTrashed } from "~/features/trash/not-found-unless-trashed.server";
import type { Route } from "./+types/image";
import type { ImagesOfDesign, loader as designLoader } from "./design";

export const meta: Route.MetaFunction = ({ loaderData }) => [{ title: titleOf(loaderData?.inPlace.value.image.name ?? "Image") }];

export const loader = (args: Route.LoaderArgs) => notFoundUnlessTrashed(args.context, args.params.imageId, () => load(args));

async function load({ request, params: { id, imageId }, context }: Route.LoaderArgs) {
  const convex = convexFor(context);
  const [inPlace, versions, visitor, review, knownTags] = await Promise.all([
    convex.preload(api.designImages.getDesignImageInPlace, { id: imageId }),
    convex.preload(api.versions.getVersions, { imageId }),
    getVisitor(context),
    convex.preload(api.reviews.getReview, { id: imageId }),
    convex.preload(api.tags.getTags, {}),
  ]);
  const { image } = inPlace.value;
  if (image.designId !== id) throw notFoundResponse();
  if (visitor) {
    const config = context.get(configContext);
    imageServiceFor(config).accessCache.store(visitor.sessionId, [image]);
    backfillMetadata({ userId: visitor.userId, sessionId: visitor.sessionId, imageId }, inPlace.value, config);
  }
  joinPreloads(inPlace, versions, review, knownTags);
  return {
    inPlace,
    versions,
    review,
    knownTags,
    background: choiceFrom(BACKGROUNDS, readCookie(request.headers, BACKGROUND_COOKIE)),
    sending: once(context),
    constraint: constraintOf(renameDesignImage),
    captionConstraint: constraintOf(captionImage),
  };
}

const { reviewItem } = reviewIntents;
const intents = { ...imagePageIntents, reviewItem };

export async function action(args: Route.ActionArgs) {
  const { request, params, context } = args;
  if (!isUpload(request)) return serverAction(intents)(args);
  const answer = await handleMultipartUpload(request, params.id, context, params.imageId);
  const isWhole = !answer.problem && answer.results.every(({ ok }) => ok);
  if (isWhole && isDocumentRequest(request)) setFlash(context, "Version added");
  if (isWhole) throw redirect(href("/design/:id/images/:imageId", params), 303);
  return data(answer, { status: 422, statusText: "Unprocessable Content" });
}

const runLive = liveAction(intents);

export async function clientAction(args: ClientActionFunctionArgs) {
  const isFile = /^multipart\//i.test(args.request.headers.get("Content-Type") ?? "");
  return isFile ? args.serverAction() : runLive(args);
}

export const shouldRevalidate = liveRevalidation;

const AROUND = 12;

export default function Image({ loaderData, actionData, params: { id, imageId } }: Route.ComponentProps) {
  const designData = useRouteLoaderData<typeof designLoader>("routes/design");
  if (!designData) return null;
  return <ImageOf key={id} loaderData={loaderData} actionData={actionData} designData={designData} imageId={imageId} />;
}

type ImageOfProps = Pick<Route.ComponentProps, "loaderData" | "actionData"> & {
  designData: Awaited<ReturnType<typeof designLoader>>;
  imageId: string;
};

function ImageOf({ loaderData, actionData, designData, imageId }: ImageOfProps) {
  const design = useLive(designData.design);
  const page = useOutletContext<ImagesOfDesign>();
  const { targetId, open } = useOpenImage(design._id, imageId);
  const currentId = targetId ?? imageId;
  const images = useImagesWith(currentId, page.rows);
  const inPlace = useLive(loaderData.inPlace);
  const versions = useLive(loaderData.versions);
  const review = useLive(loaderData.review);
  const knownTags = useLive(loaderData.knownTags);
  const presence = usePresence(design.role !== undefined);
  const index = indexOf(images, currentId);
  const listed = images[index];
  const around = useMemo(() => images.slice(Math.max(0, index - AROUND), index + AROUND + 1), [images, index]);
  const isNearEnd = listed !== undefined && index + AROUND >= images.length;
  const { more, next: nextPage } = page;
  const loadMore = useEffectEvent(() => more?.());
  useEffect(() => {
    if (isNearEnd && nextPage !== null) loadMore();
  }, [isNearEnd, nextPage]);

  const image = listed ?? inPlace.image;
  const panelImage = useDeferredValue(image);
  useTitle(titleOf(image.name));
  const own = inPlace.image._id === currentId ? inPlace : null;
  const adjacent: AdjacentImages = {
    previous: images[index - 1]?._id ?? (listed && page.isFirst ? null : (own?.previous ?? null)),
    next: (listed && images[index + 1]?._id) ?? own?.next ?? null,
    position: listed && page.isFirst ? index + 1 : null,
    total: design.imageCount,
    isPending: own === null,
  };
  return (
    <>
      <ActionForm id={MENU_OF_IMAGE} />
      <Viewer
        image={image}
        adjacent={adjacent}
        open={open}
        around={listed ? around : NONE}
        background={loaderData.background}
        form={MENU_OF_IMAGE}
        comments={{
          projectId: designData.project.value._id,
          versionNumber: own === null ? undefined : (versions.find(({ isCurrent }) => isCurrent)?.number ?? 1),
        }}
        Presence={presence?.ViewerPresence}
        actions={<ImageActions image={image} projectId={designData.project.value._id} commandForm={{ form: MENU_OF_IMAGE }} />}
        title={<InlineName key={image._id} item={image} thing="image" intent="renameImage" constraint={loaderData.constraint} small />}
      >
        <Panel
          image={panelImage}
          own={inPlace.image._id === panelImage._id ? inPlace : null}
          versions={versions}
          review={review}
          knownTags={knownTags}
          sending={loaderData.sending}
          answer={isUploadAnswer(actionData) ? actionData : undefined}
        />
      </Viewer>
      <PageReviewDialog key={`review ${image._id}`} item={image} isImage />
      <DescriptionDialog
        key={`caption ${image._id}`}
        item={image}
        field="caption"
        text={image.caption}
        hint="Describes the image, also for screen readers. Included in search."
        intent="captionImage"
        constraint={loaderData.captionConstraint}
      />
    </>
  );
}

type PanelProps = {
  image: DesignImage;
  own: FunctionReturnType<typeof api.designImages.getDesignImageInPlace> | null;
  versions: Version[];
  review: FunctionReturnType<typeof api.reviews.getReview>;
  knownTags: FunctionReturnType<typeof api.tags.getTags>;
  sending: string;
  answer: UploadAnswer | undefined;
};

const Panel = memo(function Panel({ image, own, versions, review, knownTags, sending, answer }: PanelProps) {
  return (
    <>
      <section aria-label="Caption">
        <Description item={image} field="caption" text={image.caption} />
      </section>
      {own === null ? null : <ReviewSection item={image} review={review} />}
      <Tags item={image} intents={TAG_INTENTS} knownTags={knownTags} />
      <ImageDetails image={image} details={own?.details} />
      {own === null ? null : <Versions image={image} versions={versions} sending={sending} answer={answer} />}
    </>
  );
});

const TAG_INTENTS = { add: "tagImage", remove: "untagImage" } as const;

const NONE: DesignImage[] = [];

const MENU_OF_IMAGE = `${MENU_FORM}image`;

const indexOf = (images: DesignImage[], id: string) => images.findIndex(({ _id }) => _id === id);

/** Returns the live list. During a submission, returns the last list with the image, because deleting the image redirects. */
function useImagesWith(id: string, images: DesignImage[]): DesignImage[] {
  const leading = useNavigation().state !== "idle";
  const busy = useFetchers().some(({ state }) => state !== "idle") || leading;
  const isLoaded = indexOf(images, id) >= 0;
  const last = useLastDefined(isLoaded ? images : undefined);
  return isLoaded || !busy ? images : (last ?? images);
}

export function ErrorBoundary({ error }: Route.ErrorBoundaryProps) {
  return (
    <div className="image-fault">
      <TrashedBoundary error={error} />
    </div>
  );
}
