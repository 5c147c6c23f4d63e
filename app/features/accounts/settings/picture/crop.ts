/** A square crop. `side` is relative to the shorter side, `x` and `y` to the remaining space (0 to 1). */
export type Crop = { side: number; x: number; y: number };

export const CENTRE: Crop = { side: 1, x: 0.5, y: 0.5 };
export const MIN_SIDE = 0.2;

export const CROP_FIELDS = { side: "cropSide", x: "cropX", y: "cropY" } as const;

export function readCrop(fields: ReadonlyMap<string, string>): Crop | null {
  const read = (name: string, least: number) => {
    const text = fields.get(name);
    const value = text ? Number(text) : Number.NaN;
    return value >= least && value <= 1 ? value : null;
  };
  const [side, x, y] = [read(CROP_FIELDS.side, MIN_SIDE), read(CROP_FIELDS.x, 0), read(CROP_FIELDS.y, 0)];
  return side === null || x === null || y === null ? null : { side, x, y };
}

export function toPixels({ side, x, y }: Crop, width: number, height: number) {
  const size = Math.max(1, Math.round(Math.min(width, height) * side));
  return { left: Math.round((width - size) * x), top: Math.round((height - size) * y), width: size, height: size };
}
