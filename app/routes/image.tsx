import { getZodConstraint } from "@conform-to/zod/v4";
import { useState } from "react";
import { href, useFetchers, useNavigation } from "react-router";
import { visitor } from "~/accounts/session.server";
import { convexFor } from "~/data/convex.server";
import { notFoundResponse } from "~/data/refusals";
import { liveRevalidation } from "~/data/should-revalidate";
import { useLive } from "~/data/use-live";
import { serverAction } from "~/forms/action.server";
import { liveAction } from "~/forms/live-action";
import { NameInPlace } from "~/forms/name-in-place";
import { RemoveDialog } from "~/forms/remove-dialog";
import { configContext } from "~/http/context";
import { type DesignImage, imagePageIntents } from "~/images/intents";
import { picturesFor } from "~/images/pictures.server";
import { type Place, Viewer } from "~/images/viewer";
import { ButtonLink } from "~/ui/button";
import { Screen } from "~/ui/screen";
import { api } from "#convex/_generated/api";
import { renameDesignImage } from "#convex/rules";
import { TrashedBoundary } from "~/trash/trashed-boundary";
import { unlessTrashed } from "~/trash/unless-trashed.server";
import type { Route } from "./+types/image";

export const meta: Route.MetaFunction = ({ loaderData }) => [{ title: `${loaderData?.inPlace.value.image.name ?? "Image"} · Atelier` }];

export const loader = (args: Route.LoaderArgs) => unlessTrashed(args.context, args.params.imageId, () => load(args));

async function load({ params: { id, imageId }, context }: Route.LoaderArgs) {
  const convex = convexFor(context);
  const [design, images, inPlace, who] = await Promise.all([
    convex.preload(api.designs.getDesignById, { id }),
    convex.preload(api.designImages.getDesignImagesByDesignId, { designId: id }),
    convex.preload(api.designImages.getDesignImageInPlace, { id: imageId }),
    visitor(context),
  ]);
  if (inPlace.value.image.designId !== design.value._id) throw notFoundResponse();
  if (who) picturesFor(context.get(configContext)).grants.note(who.sessionId, [...images.value, inPlace.value.image]);
  return { design, images, inPlace, constraint: getZodConstraint(renameDesignImage) };
}

export const action = serverAction(imagePageIntents);
export const clientAction = liveAction(imagePageIntents);
export const shouldRevalidate = liveRevalidation;

/** How many neighbours the filmstrip shows on either side. */
const AROUND = 12;

export default function Image({ loaderData, params: { imageId } }: Route.ComponentProps) {
  const design = useLive(loaderData.design);
  const images = useImagesWith(imageId, useLive(loaderData.images));
  const index = indexOf(images, imageId);
  const listed = images[index];

  if (listed) {
    const place = {
      previous: images[index - 1]?._id ?? null,
      next: images[index + 1]?._id ?? null,
      position: index + 1,
      total: design.imageCount,
    };
    const around = images.slice(Math.max(0, index - AROUND), index + AROUND + 1);
    return <ImagePage image={listed} place={place} around={around} constraint={loaderData.constraint} />;
  }
  // The loader saw it in the list; it has gone since.
  if (indexOf(loaderData.images.value, imageId) >= 0) {
    return (
      <Screen title="This image was deleted" text="It is in the trash, or gone for ever.">
        <ButtonLink look="primary" to={href("/design/:id", { id: design._id })}>
          Back to {design.name}
        </ButtonLink>
      </Screen>
    );
  }
  return <ImageFurtherDown loaderData={loaderData} total={design.imageCount} />;
}

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

type LoaderData = Route.ComponentProps["loaderData"];

/** An image past those that the design's list answers at once: it comes with its neighbours' ids alone. */
function ImageFurtherDown({ loaderData, total }: { loaderData: LoaderData; total: number }) {
  const { image, previous, next } = useLive(loaderData.inPlace);
  return <ImagePage image={image} place={{ previous, next, position: null, total }} around={[]} constraint={loaderData.constraint} />;
}

type ImagePageProps = { image: DesignImage; place: Place; around: DesignImage[]; constraint: LoaderData["constraint"] };

function ImagePage({ image, place, around, constraint }: ImagePageProps) {
  return (
    <>
      <Viewer
        image={image}
        place={place}
        around={around}
        title={<NameInPlace key={image._id} item={image} thing="image" intent="renameImage" constraint={constraint} />}
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

export function ErrorBoundary({ error }: Route.ErrorBoundaryProps) {
  return <TrashedBoundary error={error} />;
}
