import { type CSSProperties, useEffect, useState } from "react";
import { clsx } from "clsx";
import { useItemAddresses } from "~/lib/rights/item-addresses";
import { imageAddress, nearestWidth, OWN_WIDTH, type ImageVersion } from "../display/image-address";
import { SCALABLE } from "../gallery/gallery-sizes";
import type { DesignImage } from "../gallery/image-intents";
import { Picture } from "../display/picture";
import { type Animation, useAnimation } from "./use-animation";
import type { Zoom } from "./use-zoom";

const PIXELS_FROM = 3;

export const isDrawing = ({ contentType }: { contentType: string }) => contentType === "image/svg+xml";

type StageProps = {
  image: DesignImage;
  zoom: Pick<Zoom, "box" | "magnification">;
  sizes: string;
  grows?: boolean;
  animation?: Animation;
};

export function ViewerImage({ image, zoom, sizes, grows = false, animation }: StageProps) {
  const { width, height, name, caption } = image;
  const drawing = isDrawing(image);
  const preferred = useAnimation(image._id);
  const { isPlaying, isChosen } = animation ?? preferred;
  const { box, magnification } = zoom;
  const style: CSSProperties & Record<"--ratio" | "--own-width", string> = {
    "--ratio": (width / height).toFixed(5),
    "--own-width": drawing ? SCALABLE : `${width}px`,
    ...(box && { position: "absolute", left: box.left, top: box.top, width: box.width, height: box.height }),
  };
  return (
    <div style={style} className={clsx("viewer-picture", grows && "viewer-picture-grows")}>
      <Picture
        key={`${image._id} ${image.versionId} ${image.rotation}`}
        image={{ ...image, imageId: image._id }}
        alt={caption || name}
        sizes={sizes}
        scalable={drawing}
        priority
        moving={isChosen && isPlaying ? "always" : !isChosen || isPlaying}
        exact
      />
      {box === null || magnification === null ? null : (
        <Sharp image={image} shown={box.width} magnification={magnification} still={image.animated && !isPlaying} />
      )}
    </div>
  );
}

type SharpProps = { image: DesignImage; shown: number; magnification: number; still: boolean };

function Sharp({ image, shown, magnification, still }: SharpProps) {
  const drawing = isDrawing(image);
  const variantWidth = drawing ? nearestWidth(shown * magnificationOfScreen()) : OWN_WIDTH;
  // At lower magnifications, the width that the browser chose is sufficient.
  const isNeeded = drawing ? shown * magnificationOfScreen() > WIDEST_FITTED : magnification > 0.99;
  const which: ImageVersion = { versionId: image.versionId, rotation: image.rotation, still, files: useItemAddresses().files };
  const [loaded, setLoaded] = useState("");
  const address = imageAddress(image._id, variantWidth, which);
  const [isRequested, setRequested] = useState(false);
  useEffect(() => {
    setRequested(false);
    const timer = setTimeout(() => setRequested(true), SETTLES_MS);
    return () => clearTimeout(timer);
  }, [address]);
  if (!isNeeded || !isRequested) return null;
  return (
    <img
      src={address}
      alt=""
      draggable={false}
      decoding="async"
      data-sharp
      onLoad={() => setLoaded(address)}
      className={clsx("absolute inset-0 size-full", loaded !== address && "opacity-0")}
      style={magnification >= PIXELS_FROM && !drawing ? { imageRendering: "pixelated" } : undefined}
    />
  );
}

const WIDEST_FITTED = 1920;
const SETTLES_MS = 120;

const magnificationOfScreen = () => (typeof devicePixelRatio === "number" ? devicePixelRatio : 1);
