import { clsx } from "clsx";
import { Picture, type PictureSource } from "./picture";

/** How many pictures a cover shows. */
const SHOWN = 4;

/**
 * The newest pictures of a project or design as its cover: one fills it, two share it, of three the newest is the large one. Decoration: the
 * name stands beside it.
 */
export function Mosaic({ cover, className }: { cover: PictureSource[]; className?: string }) {
  const shown = cover.slice(0, SHOWN);
  return (
    <div
      className={clsx(
        "grid aspect-4/3 gap-px overflow-hidden bg-mat",
        shown.length > 1 && "grid-cols-2",
        shown.length > 2 && "grid-rows-2",
        className,
      )}
    >
      {shown.length === 0 ? <BareWall /> : null}
      {shown.map((image, index) => (
        <Picture
          key={image.imageId}
          image={image}
          alt=""
          sizes={shown.length === 1 ? "(width < 480px) 100vw, 22rem" : "(width < 480px) 50vw, 11rem"}
          className={clsx("size-full min-h-0 min-w-0 object-cover", shown.length === 3 && index === 0 && "row-span-2")}
        />
      ))}
    </div>
  );
}

/** Where no picture hangs yet: a wall with the lamp on. */
function BareWall() {
  return (
    <div className="relative grid place-items-center overflow-hidden bg-[radial-gradient(70%_85%_at_50%_0%,var(--lamp),transparent)]">
      <div className="h-2/5 w-2/5 rounded-sm border border-dashed border-edge/60" />
    </div>
  );
}
