import { getZodConstraint } from "@conform-to/zod/v4";
import { href } from "react-router";
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
import type { Route } from "./+types/image";

export const meta: Route.MetaFunction = ({ loaderData }) => [{ title: `${loaderData?.inPlace.value.image.name ?? "Image"} · Atelier` }];

export async function loader({ params: { id, imageId }, context }: Route.LoaderArgs) {
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

export default function Image({ loaderData, params }: Route.ComponentProps) {
  const design = useLive(loaderData.design);
  const images = useLive(loaderData.images);
  const index = images.findIndex(({ _id }) => _id === params.imageId);
  const listed = images[index];
  // The loader saw it; where it has gone from the list since, it was deleted.
  const wasListed = loaderData.images.value.some(({ _id }) => _id === params.imageId);

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
  if (wasListed) {
    return (
      <Screen title="This image was deleted" text="It is no longer part of the design.">
        <ButtonLink look="primary" to={href("/design/:id", { id: design._id })}>
          Back to {design.name}
        </ButtonLink>
      </Screen>
    );
  }
  return <ImageFurtherDown loaderData={loaderData} total={design.imageCount} />;
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
        loses="will be deleted."
        intent="removeImage"
        hidden={{ designId: image.designId }}
      />
    </>
  );
}
