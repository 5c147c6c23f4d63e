import { readdir, readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import sharp from "sharp";

/** `npm run baselines`: compresses the new screenshots to palette PNGs. */
const folder = new URL("baselines/", import.meta.url);
let [before, after] = [0, 0];
for (const name of await readdir(fileURLToPath(folder))) {
  const drawn = await readFile(new URL(name, folder));
  const small = await sharp(drawn).png({ palette: true, colours: 256, dither: 0, effort: 10, compressionLevel: 9 }).toBuffer();
  before += drawn.length;
  after += Math.min(small.length, drawn.length);
  if (small.length < drawn.length * 0.8) await writeFile(new URL(name, folder), small);
}
console.log(`The baselines have ${Math.round(after / 1024)} KiB (they had ${Math.round(before / 1024)}).`);
