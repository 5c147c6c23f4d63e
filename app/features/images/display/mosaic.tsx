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
    <div
      className={clsx(
        "grid aspect-4/3 gap-px overflow-hidden bg-mat",
        shown.length > 1 && "grid-cols-2",
        shown.length > 2 && "grid-rows-2",
        className,
      )}
    >
      {shown.length === 0 ? <EmptyMosaic /> : null}
      {shown.map((image, index) => (
        <Picture
          key={image.imageId}
          image={image}
          alt=""
          sizes={sizes ?? (shown.length === 1 ? whole : half)}
          className={clsx("size-full min-h-0 min-w-0 object-cover", shown.length === 3 && index === 0 && "row-span-2")}
        />
      ))}
    </div>
  );
}

function EmptyMosaic() {
  return (
    <div className="relative grid place-items-center overflow-hidden bg-[radial-gradient(70%_85%_at_50%_0%,var(--lamp),transparent)]">
      <div className="h-2/5 w-2/5 rounded-sm border border-dashed border-edge/60" />
    </div>
  );
}
