import { useMemo, useState } from "react";
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
import { readCookie } from "~/accounts/cookies";
import { visitor } from "~/accounts/session.server";
import { convexFor } from "~/data/convex.server";
import { notFoundResponse } from "~/data/refusals";
import { liveRevalidation } from "~/data/should-revalidate";
import { useLive } from "~/data/use-live";
import { isDocument, serverAction } from "~/forms/action.server";
import { constraintOf } from "~/forms/constraint.server";
import { liveAction } from "~/forms/live-action";
import { ActionForm, MENU_FORM } from "~/forms/menu-action";
import { NameInPlace } from "~/forms/name-in-place";
import { Prose, ProseDialog } from "~/forms/prose-dialog";
import { RemoveDialog } from "~/forms/remove-dialog";
import { configContext } from "~/http/context";
import { tell } from "~/http/flash.server";
import { ImageActions } from "~/images/image-actions";
import { Facts } from "~/images/facts";
import { type DesignImage, imagePageIntents } from "~/images/intents";
import { readDetailsLate } from "~/images/late-details.server";
import { picturesFor } from "~/images/pictures.server";
import { isUpload, takeUploads } from "~/images/take.server";
import { isUploadAnswer } from "~/images/upload";
import { Versions } from "~/images/versions";
import type { Place } from "~/images/neighbours";
import { Viewer } from "~/images/viewer";
import { once } from "~/rendering/once.server";
import { Tags } from "~/tags/tags";
import { choiceFrom, GROUND_COOKIE, GROUNDS } from "~/ui/preferences";
import { api } from "#convex/_generated/api";
import { captionImage, renameDesignImage } from "#convex/rules";
import { TrashedBoundary } from "~/trash/trashed-boundary";
import { unlessTrashed } from "~/trash/unless-trashed.server";
import type { Route } from "./+types/image";
import type { ImagesOfDesign, loader as designLoader } from "./design";

export const meta: Route.MetaFunction = ({ loaderData }) => [{ title: `${loaderData?.inPlace.value.image.name ?? "Image"} · Atelier` }];

/** What the design's own loader has not: this picture's place, what its file tells, and its history. */
export const loader = (args: Route.LoaderArgs) => unlessTrashed(args.context, args.params.imageId, () => load(args));

async function load({ request, params: { id, imageId }, context }: Route.LoaderArgs) {
  const convex = convexFor(context);
  const [inPlace, versions, who] = await Promise.all([
    convex.preload(api.designImages.getDesignImageInPlace, { id: imageId }),
    convex.preload(api.versions.getVersions, { imageId }),
    visitor(context),
  ]);
  const { image } = inPlace.value;
  if (image.designId !== id) throw notFoundResponse();
  if (who) {
    const config = context.get(configContext);
    picturesFor(config).grants.note(who.sessionId, [image]);
    readDetailsLate({ sessionId: who.sessionId, imageId }, inPlace.value, config);
  }
  return {
    inPlace,
    versions,
    ground: choiceFrom(GROUNDS, readCookie(request.headers, GROUND_COOKIE)),
    sending: once(context),
    constraint: constraintOf(renameDesignImage),
    captionConstraint: constraintOf(captionImage),
  };
}

/** A form of an intent, or the file of a new version. */
export async function action(args: Route.ActionArgs) {
  const { request, params, context } = args;
  if (!isUpload(request)) return serverAction(imagePageIntents)(args);
  const answer = await takeUploads(request, params.id, context, params.imageId);
  const isWhole = !answer.problem && answer.results.every(({ ok }) => ok);
  if (isWhole && isDocument(request)) tell(context, "Version added");
  if (isWhole) throw redirect(href("/design/:id/images/:imageId", params), 303);
  return data(answer, { status: 422, statusText: "Unprocessable Content" });
}

const runLive = liveAction(imagePageIntents);

/** Files go through the app's server whichever way their form was sent. */
export async function clientAction(args: ClientActionFunctionArgs) {
  const isFile = /^multipart\//i.test(args.request.headers.get("Content-Type") ?? "");
  return isFile ? args.serverAction() : runLive(args);
}

export const shouldRevalidate = liveRevalidation;

/** How many neighbours the filmstrip shows on either side. */
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
  const images = useImagesWith(imageId, page.rows);
  const inPlace = useLive(loaderData.inPlace);
  const versions = useLive(loaderData.versions);
  const knownTags = useLive(designData.knownTags);
  const index = indexOf(images, imageId);
  const listed = images[index];
  const around = useMemo(() => images.slice(Math.max(0, index - AROUND), index + AROUND + 1), [images, index]);

  const image = listed ?? inPlace.image;
  // What lies past the listed ones comes by its own place.
  const own = inPlace.image._id === imageId ? inPlace : null;
  const place: Place = {
    previous: images[index - 1]?._id ?? (listed && page.isFirst ? null : (own?.previous ?? null)),
    next: images[index + 1]?._id ?? own?.next ?? null,
    position: listed && page.isFirst ? index + 1 : null,
    total: design.imageCount,
  };
  return (
    <>
      <ActionForm id={MENU_OF_IMAGE} />
      <Viewer
        image={image}
        place={place}
        around={listed ? around : NONE}
        ground={loaderData.ground}
        actions={<ImageActions image={image} projectId={designData.project.value._id} here={{ form: MENU_OF_IMAGE }} />}
        title={<NameInPlace key={image._id} item={image} thing="image" intent="renameImage" constraint={loaderData.constraint} small />}
      >
        <section aria-label="Caption">
          <Prose item={image} field="caption" text={image.caption} />
        </section>
        <Tags item={image} intents={{ add: "tagImage", remove: "untagImage" }} known={knownTags} />
        <Facts image={image} details={own?.details} />
        <Versions
          image={image}
          versions={versions}
          sending={loaderData.sending}
          answer={isUploadAnswer(actionData) ? actionData : undefined}
        />
      </Viewer>
      <ProseDialog
        key={`caption ${image._id}`}
        item={image}
        field="caption"
        text={image.caption}
        hint="What it shows: for who cannot see it too. The search finds it by these words."
        intent="captionImage"
        constraint={loaderData.captionConstraint}
      />
      <RemoveDialog
        key={image._id}
        item={image}
        thing="image"
        loses="goes to the trash."
        intent="removeImage"
        hidden={{ designId: image.designId }}
      />
    </>
  );
}

const NONE: DesignImage[] = [];

/** Its own: the gallery beneath has the page's. */
const MENU_OF_IMAGE = `${MENU_FORM}image`;

const indexOf = (images: DesignImage[], id: string) => images.findIndex(({ _id }) => _id === id);

/** The live list; while a form of this page is on its way the last one with the image in it, since who deletes it is led away by that form. */
function useImagesWith(id: string, images: DesignImage[]): DesignImage[] {
  const [last, setLast] = useState(images);
  const leading = useNavigation().state !== "idle";
  const busy = useFetchers().some(({ state }) => state !== "idle") || leading;
  const there = indexOf(images, id) >= 0;
  if (there && images !== last) setLast(images);
  return there || !busy ? images : last;
}

export function ErrorBoundary({ error }: Route.ErrorBoundaryProps) {
  return (
    <div className="image-fault">
      <TrashedBoundary error={error} />
    </div>
  );
}
