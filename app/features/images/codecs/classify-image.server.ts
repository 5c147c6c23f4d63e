export type ImageClass = "drawn" | "mixed" | "photographed";

type Shape = { width: number; height: number; channels: number };

const SIDE = 16;
/** A square is plain when this share of its pixels equals the pixel to the left. */
const FLAT_SHARE = 0.95;
/** A square contains text when this share is equal and more than `EDGES` pixels differ by more than `EDGE`. */
const TEXT_EQUAL_SHARE = 0.35;
const EDGES = 8;
const EDGE = 40;

/** Measured shares of plain squares: screenshots 0.66 or more, photographs 0.15 or less, pages with pictures between. */
const DRAWN = 0.45;
const MIXED = { plain: 0.08, lettered: 0.01 };

/** Classifies pixels, not the file type. Lossy encoding visibly smears text in drawn pictures. */
export function classifyImage(pixels: Buffer, shape: Shape): ImageClass {
  const [columns, rows] = [Math.floor(shape.width / SIDE), Math.floor(shape.height / SIDE)];
  let plain = 0;
  let lettered = 0;
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const { alike, edges } = measureSquare(pixels, shape, column * SIDE, row * SIDE);
      if (alike >= FLAT_SHARE * SIDE * SIDE) plain++;
      else if (alike >= TEXT_EQUAL_SHARE * SIDE * SIDE && edges > EDGES) lettered++;
    }
  }
  const squares = columns * rows;
  if (plain >= DRAWN * squares) return "drawn";
  return plain >= MIXED.plain * squares && lettered >= MIXED.lettered * squares ? "mixed" : "photographed";
}

function measureSquare(pixels: Buffer, { width, channels }: Shape, left: number, top: number) {
  let equalCount = 0;
  let edges = 0;
  for (let y = top; y < top + SIDE; y++) {
    for (let x = left; x < left + SIDE; x++) {
      const at = (y * width + x) * channels;
      const before = x === 0 ? at : at - channels;
      let step = 0;
      for (let channel = 0; channel < channels; channel++)
        step = Math.max(step, Math.abs((pixels[at + channel] ?? 0) - (pixels[before + channel] ?? 0)));
      if (step === 0) equalCount++;
      else if (step > EDGE) edges++;
    }
  }
  return { alike: equalCount, edges };
}
