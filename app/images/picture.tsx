import { imageAddress, imageSrcSet, nearestWidth, type Which } from "./address";
import { placeholderUrl } from "./placeholder";

/** What a picture needs to be shown: a design image, or a project's or design's cover. */
export type PictureSource = {
  imageId: string;
  /** Thumbhash, in base64. */
  placeholder: string | null;
  width: number;
  height: number;
  /** Which version it is, where the image has several. */
  versionId?: string | undefined;
  animated?: boolean;
};

type PictureProps = {
  image: PictureSource;
  /** What it shows, for those who do not see it; "" where a text beside it says the same. */
  alt: string;
  /** How wide it is laid out, as in the HTML attribute: the browser picks the file by it. */
  sizes: string;
  className?: string;
  /** A drawing: as sharp as its place is large. */
  scalable?: boolean;
  /**
   * Loaded at once, before others and before scripts: for the one picture that a screen is about, and the first of several. It is asked for before there
   * is a layout, so `sizes` alone says how wide it will be.
   */
  priority?: boolean;
  /** A moving picture moves, unless its visitor asks for less motion; else it stands still on its first frame. */
  moving?: boolean;
  /** Where all of its pixels are shown, they are those that were uploaded. */
  exact?: boolean;
};

/**
 * One picture in the size that its place and screen need. Its proportions and a blurred placeholder are in the HTML, so
 * that nothing moves when it comes; both work without JavaScript. The format is the server's choice, by `Accept`.
 */
export function Picture({ image, alt, sizes, className, scalable = false, priority = false, moving, exact }: PictureProps) {
  const placeholder = placeholderUrl(image.placeholder);
  const { imageId, animated = false, versionId } = image;
  const still: Which = { versionId, still: animated };
  const shown: Which = moving ? { versionId } : still;
  const widths = { scalable, exact: exact ?? false };
  const picture = (
    <img
      src={imageAddress(imageId, nearestWidth(scalable ? 960 : Math.min(image.width, 960)), shown)}
      srcSet={imageSrcSet(imageId, image.width, shown, widths)}
      // `auto`: where the browser knows the laid-out width of a lazy picture, that is better than our guess.
      sizes={priority ? sizes : `auto, ${sizes}`}
      width={image.width}
      height={image.height}
      alt={alt}
      loading={priority ? "eager" : "lazy"}
      fetchPriority={priority ? "high" : undefined}
      decoding="async"
      draggable={false}
      className={className}
      style={placeholder === null ? undefined : { backgroundImage: `url(${placeholder})` }}
    />
  );
  if (!animated || !moving) return picture;
  return (
    <picture className="contents">
      <source media="(prefers-reduced-motion: reduce)" srcSet={imageSrcSet(imageId, image.width, still, widths)} sizes={sizes} />
      {picture}
    </picture>
  );
}
