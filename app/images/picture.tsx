import { imageAddress, imageSrcSet, nearestWidth } from "./address";
import { placeholderUrl } from "./placeholder";

/** What a picture needs to be shown: a design image, or a project's or design's cover. */
export type PictureSource = {
  imageId: string;
  /** Thumbhash, in base64. */
  placeholder: string | null;
  width: number;
  height: number;
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
  /** Loaded at once and before others: for the one picture that a screen is about. */
  priority?: boolean;
};

/**
 * One picture in the size that its place and screen need. Its proportions and a blurred placeholder are in the HTML, so
 * that nothing moves when it comes; both work without JavaScript. The format is the server's choice, by `Accept`.
 */
export function Picture({ image, alt, sizes, className, scalable = false, priority = false }: PictureProps) {
  const placeholder = placeholderUrl(image.placeholder);
  return (
    <img
      src={imageAddress(image.imageId, nearestWidth(scalable ? 960 : Math.min(image.width, 960)))}
      srcSet={imageSrcSet(image.imageId, image.width, scalable)}
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
      style={placeholder === null ? undefined : { backgroundImage: `url(${placeholder})`, backgroundSize: "cover" }}
    />
  );
}
