import { useItemAddresses } from "~/lib/rights/item-addresses";
import { imageAddress, imageSrcSet, nearestWidth, type ImageVersion, type Rotation } from "./image-address";
import { placeholderUrl } from "./placeholder";

export type PictureSource = {
  imageId: string;
  placeholder: string | null;
  width: number;
  height: number;
  versionId?: string | undefined;
  rotation?: Rotation | undefined;
  animated?: boolean;
};

type PictureProps = {
  image: PictureSource;
  alt: string;
  /** As in HTML, but never `auto`: Chromium 156 then keeps a removed image and its whole detached tree. */
  sizes: string;
  className?: string;
  scalable?: boolean;
  /** Loads first, for a screen's main picture. The request precedes layout and scripts, so `sizes` alone decides its width. */
  priority?: boolean;
  /** Plays an animation unless the visitor prefers reduced motion; `"always"` plays it in any case. */
  moving?: boolean | "always";
  exact?: boolean;
};

/** Renders a responsive picture. The HTML contains its aspect ratio and placeholder, so that nothing moves when it loads. */
export function Picture({ image, alt, sizes, className, scalable = false, priority = false, moving, exact }: PictureProps) {
  const placeholder = placeholderUrl(image.placeholder, image.rotation);
  const { imageId, animated = false, versionId, rotation } = image;
  const { files } = useItemAddresses();
  const still: ImageVersion = { versionId, rotation, still: animated, files };
  const shown: ImageVersion = moving ? { versionId, rotation, files } : still;
  const widths = { scalable, exact: exact ?? false };
  const picture = (
    <img
      src={imageAddress(imageId, nearestWidth(scalable ? 960 : Math.min(image.width, 960)), shown)}
      srcSet={imageSrcSet(imageId, image.width, shown, widths)}
      sizes={sizes}
      width={image.width}
      height={image.height}
      alt={alt}
      loading={priority ? "eager" : "lazy"}
      fetchPriority={priority ? "high" : undefined}
      decoding="async"
      draggable={false}
      className={className}
      onError={({ currentTarget }) => currentTarget.setAttribute("data-failed", "")}
      onLoad={({ currentTarget }) => currentTarget.removeAttribute("data-failed")}
      style={placeholder === null ? undefined : { backgroundImage: `url(${placeholder})` }}
    />
  );
  if (!animated || !moving || moving === "always") return picture;
  return (
    <picture className="contents">
      <source media="(prefers-reduced-motion: reduce)" srcSet={imageSrcSet(imageId, image.width, still, widths)} sizes={sizes} />
      {picture}
    </picture>
  );
}
