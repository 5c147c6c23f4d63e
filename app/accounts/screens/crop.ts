/** A square within a picture, in parts of it: its side by the picture's shorter side, and its corner by what is left beside it (0 to 1 each). */
export type Crop = { side: number; x: number; y: number };

/** The whole shorter side, in the middle. */
export const CENTRE: Crop = { side: 1, x: 0.5, y: 0.5 };
/** Cut no closer than this. */
export const MIN_SIDE = 0.2;

export const CROP_FIELDS = { side: "cropSide", x: "cropX", y: "cropY" } as const;

/** The crop that a form brings; null: none, or none that can be meant. */
export function readCrop(fields: ReadonlyMap<string, string>): Crop | null {
  const read = (name: string, least: number) => {
    const text = fields.get(name);
    const value = text ? Number(text) : Number.NaN;
    return value >= least && value <= 1 ? value : null;
  };
  const [side, x, y] = [read(CROP_FIELDS.side, MIN_SIDE), read(CROP_FIELDS.x, 0), read(CROP_FIELDS.y, 0)];
  return side === null || x === null || y === null ? null : { side, x, y };
}

/** The same in pixels of a picture of this size. */
export function toPixels({ side, x, y }: Crop, width: number, height: number) {
  const size = Math.max(1, Math.round(Math.min(width, height) * side));
  return { left: Math.round((width - size) * x), top: Math.round((height - size) * y), width: size, height: size };
}
