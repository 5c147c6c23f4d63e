import { useEffect, useEffectEvent, useMemo } from "react";
import type { loadImage } from "./load-items.server";
import type { DesignImage } from "~/features/images/gallery/image-intents";
import type { AdjacentImages } from "~/features/images/viewer/adjacent-images";
import { ImageDetails } from "~/features/images/viewer/image-details";
import { useOpenImage } from "~/features/images/viewer/use-open-image";
import { Viewer } from "~/features/images/viewer/viewer";
import type { Endless } from "~/lib/data/pagination/use-endless";
import { useLive } from "~/lib/data/use-live";
import { useMay } from "~/lib/rights/rights";
import { titleOf, useTitle } from "~/lib/ui/use-title";

type Shown = Awaited<ReturnType<typeof loadImage>>;

export type DesignOfLink = { page: Endless<DesignImage>; imageCount: number };

export function LinkImage({ shown, design }: { shown: Shown; design?: DesignOfLink }) {
  return design ? <ImageOfDesign shown={shown} design={design} /> : <OneImage shown={shown} around={NONE} total={1} />;
}

const NONE: DesignImage[] = [];
const AROUND = 12;

function ImageOfDesign({ shown, design: { page, imageCount } }: { shown: Shown; design: DesignOfLink }) {
  const { rows, more, next } = page;
  const imageId = shown.inPlace.value.image._id;
  const index = rows.findIndex(({ _id }) => _id === imageId);
  const around = useMemo(() => (index < 0 ? NONE : rows.slice(Math.max(0, index - AROUND), index + AROUND + 1)), [rows, index]);
  const isNearEnd = index >= 0 && index + AROUND >= rows.length;
  const loadMore = useEffectEvent(() => more?.());
  useEffect(() => {
    if (isNearEnd && next !== null) loadMore();
  }, [isNearEnd, next]);
  const position = index >= 0 && page.isFirst ? index + 1 : null;
  return <OneImage shown={shown} around={around} total={imageCount} position={position} hasGallery />;
}

type OneImageProps = { shown: Shown; around: DesignImage[]; total: number; position?: number | null; hasGallery?: boolean };

function OneImage({ shown, around, total, position = null, hasGallery = false }: OneImageProps) {
  const { image, previous, next, details } = useLive(shown.inPlace);
  const { targetId, open } = useOpenImage(image.designId, image._id);
  useTitle(titleOf(image.name));
  const mayReadComments = useMay()("readComments");
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
      {...(mayReadComments && { comments: { projectId: "", versionNumber: undefined } })}
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
