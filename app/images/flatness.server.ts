/** What a picture is made of: drawn (a screen, flat art), photographed, or both side by side, as a page with pictures on it is. */
export type Nature = "drawn" | "mixed" | "photographed";

type Shape = { width: number; height: number; channels: number };

/** Pixels a side of the squares that are looked at one by one. */
const SIDE = 16;
/** A square counts as plain when all but a few of its pixels equal their neighbour. */
const PLAIN = 0.95;
/** And as lettering when many do, beside hard edges: this many steps of more than `EDGE` between neighbours. */
const BESIDE_EDGES = 0.35;
const EDGES = 8;
const EDGE = 40;

/** Shares of squares, measured: screens have 0.66 and more of plain ones, photographs 0.15 and less; pages with pictures lie between. */
const DRAWN = 0.45;
const MIXED = { plain: 0.08, lettered: 0.01 };

/**
 * Judges decoded pixels by their 16 × 16 squares, not by the file's type: a PNG may be a photograph. In whatever is drawn each smear beside a
 * letter is seen, so it must be known from what a lossy encoder is made for.
 */
export function natureOf(pixels: Buffer, shape: Shape): Nature {
  const [columns, rows] = [Math.floor(shape.width / SIDE), Math.floor(shape.height / SIDE)];
  let plain = 0;
  let lettered = 0;
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const { alike, edges } = look(pixels, shape, column * SIDE, row * SIDE);
      if (alike >= PLAIN * SIDE * SIDE) plain++;
      else if (alike >= BESIDE_EDGES * SIDE * SIDE && edges > EDGES) lettered++;
    }
  }
  const squares = columns * rows;
  // Smaller than a square: nothing is gained by losing any of it.
  if (plain >= DRAWN * squares) return "drawn";
  return plain >= MIXED.plain * squares && lettered >= MIXED.lettered * squares ? "mixed" : "photographed";
}

/** How many of a square's pixels equal their neighbour on the left, and how many differ from it much. */
function look(pixels: Buffer, { width, channels }: Shape, left: number, top: number) {
  let alike = 0;
  let edges = 0;
  for (let y = top; y < top + SIDE; y++) {
    // The first column of all has no neighbour: it is held against itself.
    for (let x = left; x < left + SIDE; x++) {
      const at = (y * width + x) * channels;
      const before = x === 0 ? at : at - channels;
      let step = 0;
      for (let channel = 0; channel < channels; channel++)
        step = Math.max(step, Math.abs((pixels[at + channel] ?? 0) - (pixels[before + channel] ?? 0)));
      if (step === 0) alike++;
      else if (step > EDGE) edges++;
    }
  }
  return { alike, edges };
}
