import { clsx } from "clsx";
import { useDensity } from "~/lib/ui/theme/density";
import type { Density } from "~/lib/ui/theme/preferences";
import { Picture, type PictureSource } from "./picture";

const SHOWN = 4;

const SIZES: Record<Density, [whole: string, half: string]> = {
  small: ["(width < 480px) 50vw, max(16rem, 10vw)", "(width < 480px) 25vw, max(8rem, 5vw)"],
  medium: ["(width < 480px) 100vw, max(22rem, 14vw)", "(width < 480px) 50vw, max(11rem, 7vw)"],
  large: ["(width < 480px) 100vw, max(31rem, 20vw)", "(width < 480px) 50vw, max(16rem, 10vw)"],
};

export function Mosaic({ cover, className, sizes }: { cover: PictureSource[]; className?: string; sizes?: string }) {
  const shown = cover.slice(0, SHOWN);
  const [whole, half] = SIZES[useDensity()];
  return (
    <div data-shown={shown.length > 1 ? shown.length : undefined} className={clsx("mosaic", className)}>
      {shown.map((image) => (
        <Picture key={image.imageId} image={image} alt="" sizes={sizes ?? (shown.length === 1 ? whole : half)} />
      ))}
    </div>
  );
}
