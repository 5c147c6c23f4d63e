import type { Density } from "~/lib/ui/theme/preferences";

export const SCALABLE = "99999px";

/** Row heights before the pictures share the remaining space (images.css): shares of the width, and a limit on wide screens. */
const ROWS: Record<Density, { phone: number; tablet: number; wide: number; limit: string }> = {
  small: { phone: 0.19, tablet: 0.13, wide: 0.13, limit: "max(10rem, 6.5vw)" },
  medium: { phone: 0.26, tablet: 0.19, wide: 0.21, limit: "max(15rem, 10vw)" },
  large: { phone: 0.32, tablet: 0.26, wide: 0.31, limit: "max(22rem, 15vw)" },
};
const GROWS = 1.4;
const DEFAULT_GALLERY_VW = 80;

export function gallerySizes(ratio: number, density: Density, alone = false): string {
  const { phone, tablet, wide, limit } = ROWS[density];
  const inRow = Math.max(1, alone ? 1 / (ratio * phone) : Math.floor(1 / (ratio * phone)));
  const width = alone ? ratio : ratio * GROWS;
  return [
    `(max-width: 30rem) calc((100vw - 2rem) / ${inRow.toFixed(2)})`,
    `(max-width: 64rem) ${(width * tablet * DEFAULT_GALLERY_VW).toFixed(1)}vw`,
    `calc(${width.toFixed(2)} * min(${(wide * DEFAULT_GALLERY_VW).toFixed(1)}vw, ${limit}))`,
  ].join(", ");
}
