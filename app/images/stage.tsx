import { type CSSProperties, useEffect, useState } from "react";
import { clsx } from "clsx";
import { imageAddress, nearestWidth, OWN_WIDTH, type Which } from "./address";
import { SCALABLE } from "./gallery";
import type { DesignImage } from "./intents";
import { Picture } from "./picture";
import type { Zoom } from "./use-zoom";

/** From here on one sees pixels rather than a picture, and sees them as they are. */
const PIXELS_FROM = 3;

export const isDrawing = ({ contentType }: { contentType: string }) => contentType === "image/svg+xml";

type StageProps = {
  image: DesignImage;
  zoom: Pick<Zoom, "box" | "magnification">;
  sizes: string;
  /** It is the picture that grows out of the gallery. */
  grows?: boolean;
};

/**
 * A picture as its stage shows it: fitted by the style sheet alone until scripts have measured the stage, then where the zoom says. Once more
 * pixels are asked for than were sent, its own take their place; a drawing is drawn anew for its size.
 */
export function StagedPicture({ image, zoom, sizes, grows = false }: StageProps) {
  const { width, height, name, caption } = image;
  const drawing = isDrawing(image);
  const { box, magnification } = zoom;
  const style: CSSProperties & Record<"--ratio" | "--own-width", string> = {
    "--ratio": (width / height).toFixed(5),
    "--own-width": drawing ? SCALABLE : `${width}px`,
    ...(box && { position: "absolute", left: box.left, top: box.top, width: box.width, height: box.height }),
  };
  return (
    <div style={style} className={clsx("viewer-picture", grows && "viewer-picture-grows")}>
      <Picture
        key={`${image._id} ${image.versionId}`}
        image={{ ...image, imageId: image._id }}
        alt={caption || name}
        sizes={sizes}
        scalable={drawing}
        priority
        moving
        exact
      />
      {box === null || magnification === null ? null : <Sharp image={image} shown={box.width} magnification={magnification} />}
    </div>
  );
}

/** More pixels, over the picture that is there already, once they have come. */
function Sharp({ image, shown, magnification }: { image: DesignImage; shown: number; magnification: number }) {
  const drawing = isDrawing(image);
  const wanted = drawing ? nearestWidth(shown * magnificationOfScreen()) : OWN_WIDTH;
  // Below, the browser has chosen among the widths as large as need be.
  const isNeeded = drawing ? shown * magnificationOfScreen() > WIDEST_FITTED : magnification > 0.99;
  const which: Which = { versionId: image.versionId };
  const [loaded, setLoaded] = useState("");
  const address = imageAddress(image._id, wanted, which);
  const [asked, ask] = useState(false);
  // While a zoom is on its way nothing is asked for that the next moment makes needless.
  useEffect(() => {
    ask(false);
    const timer = setTimeout(() => ask(true), SETTLES_MS);
    return () => clearTimeout(timer);
  }, [address]);
  if (!isNeeded || !asked) return null;
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

/** What a stage is fitted with at most, by `sizes`. */
const WIDEST_FITTED = 1920;
const SETTLES_MS = 120;

const magnificationOfScreen = () => (typeof devicePixelRatio === "number" ? devicePixelRatio : 1);
