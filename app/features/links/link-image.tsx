import { useMemo } from "react";
import type { loadImage } from "./load-items.server";
import type { DesignImage } from "~/features/images/gallery/image-intents";
import type { AdjacentImages } from "~/features/images/viewer/adjacent-images";
import { ImageDetails } from "~/features/images/viewer/image-details";
import { useOpenImage } from "~/features/images/viewer/use-open-image";
import { Viewer } from "~/features/images/viewer/viewer";
import type { Preload } from "~/lib/data/preload";
import { useLive } from "~/lib/data/use-live";
import { titleOf, useTitle } from "~/lib/ui/use-title";

type Shown = Awaited<ReturnType<typeof loadImage>>;

/** The viewer, for the visitors of a link. */
export function LinkImage({ shown }: { shown: Shown }) {
  const { design, images } = shown;
  if (!design || !images) return <OneImage shown={shown} around={NONE} total={1} />;
  return <ImageOfDesign shown={shown} design={design} images={images} />;
}

const NONE: DesignImage[] = [];
const AROUND = 12;

type ImageOfDesignProps = { shown: Shown; design: NonNullable<Shown["design"]>; images: Preload<DesignImage[]> };

function ImageOfDesign({ shown, design, images }: ImageOfDesignProps) {
  const { imageCount } = useLive(design);
  const listed = useLive(images);
  const imageId = shown.inPlace.value.image._id;
  const around = useMemo(() => {
    const index = listed.findIndex(({ _id }) => _id === imageId);
    return index < 0 ? NONE : listed.slice(Math.max(0, index - AROUND), index + AROUND + 1);
  }, [listed, imageId]);
  const position = listed.findIndex(({ _id }) => _id === imageId) + 1;
  return <OneImage shown={shown} around={around} total={imageCount} position={position || null} hasGallery />;
}

type OneImageProps = { shown: Shown; around: DesignImage[]; total: number; position?: number | null; hasGallery?: boolean };

function OneImage({ shown, around, total, position = null, hasGallery = false }: OneImageProps) {
  const { image, previous, next, details } = useLive(shown.inPlace);
  const { targetId, open } = useOpenImage(image.designId, image._id);
  useTitle(titleOf(image.name));
  const adjacent: AdjacentImages = { previous, next, position, total, isPending: targetId !== null };
  return (
    <Viewer
      image={image}
      adjacent={adjacent}
      open={open}
      around={around}
      background={shown.background}
      form=""
      actions={null}
      hasGallery={hasGallery}
      title={
        <h1 dir="auto" className="min-w-0 truncate py-0.5 text-lg font-semibold tracking-[-0.015em]">
          {image.name}
        </h1>
      }
    >
      <ImageDetails image={image} details={details} />
    </Viewer>
  );
}
