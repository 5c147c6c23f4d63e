import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "@playwright/test";
import sharp from "sharp";
import { type PictureName, pictureBytes } from "./fixtures/pictures.ts";
import { launchOptions } from "./harness/chromium.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const PUBLIC = join(ROOT, "public");
const FONT = join(ROOT, "node_modules/@fontsource-variable/geist/files/geist-latin-wght-normal.woff2");

/** `npm run icons`: draws the icons and the link preview from `public/favicon.svg`. */
async function main(): Promise<void> {
  const icon = await readFile(join(PUBLIC, "favicon.svg"), "utf8");
  const square = icon.replace(/ rx="[^"]*"/, "");
  // Home screens keep the middle four fifths (W3C, Web App Manifest, "Icon masks and safe zone").
  const masked = square.replace(/translate\(2 1\.6\) scale\(\.8\)/, "translate(4.5 4.2) scale(.55)");
  const png = (svg: string, size: number) => sharp(Buffer.from(svg), { density: 4000 }).resize(size).png({ palette: true }).toBuffer();

  await writeFile(join(PUBLIC, "icon-192.png"), await png(icon, 192));
  await writeFile(join(PUBLIC, "icon-512.png"), await png(icon, 512));
  await writeFile(join(PUBLIC, "icon-maskable-512.png"), await png(masked, 512));
  await writeFile(join(PUBLIC, "apple-touch-icon.png"), await png(square, 180));
  await writeFile(join(PUBLIC, "favicon.ico"), ico(await png(icon, 32), 32));
  await writeFile(join(PUBLIC, "og.png"), await previewImage(icon));
}

function ico(png: Buffer, size: number): Buffer {
  const head = Buffer.alloc(22);
  head.writeUInt16LE(1, 2); // an icon
  head.writeUInt16LE(1, 4);
  head.writeUInt8(size, 6);
  head.writeUInt8(size, 7);
  head.writeUInt16LE(1, 10); // colour planes
  head.writeUInt16LE(32, 12); // bits a pixel
  head.writeUInt32LE(png.length, 14);
  head.writeUInt32LE(head.length, 18);
  return Buffer.concat([head, png]);
}

async function previewImage(icon: string): Promise<Buffer> {
  const shown: PictureName[] = ["sunset", "fig", "bank", "path", "dandelions", "brushes", "mountain", "stripes", "dogs", "clock", "bakery"];
  const pictures = await Promise.all(
    shown.map(async (name) => {
      const picture = await sharp(await pictureBytes(name))
        .resize(420)
        .jpeg({ quality: 80 })
        .toBuffer();
      return `<img src="data:image/jpeg;base64,${picture.toString("base64")}">`;
    }),
  );
  const font = (await readFile(FONT)).toString("base64");
  const browser = await chromium.launch(await launchOptions());
  try {
    const page = await browser.newPage({ viewport: { width: 1200, height: 630 } });
    await page.setContent(`<!doctype html><style>
      @font-face { font-family: Geist; src: url(data:font/woff2;base64,${font}); font-weight: 100 900 }
      body { margin: 0; background: #0c0c0c; color: #f0f0f0; font-family: Geist; overflow: hidden }
      svg { width: 88px; border-radius: 20px } svg rect { fill: #1d1d1d }
      main { position: absolute; left: 72px; top: 0; bottom: 0; width: 400px; display: grid; align-content: center; gap: 28px }
      h1 { font-size: 84px; font-weight: 600; letter-spacing: -0.035em; line-height: 1; margin: 0 }
      p { color: #b8b8b8; font-size: 30px; line-height: 1.35; margin: 0 }
      div { columns: 3; column-gap: 14px; position: absolute; left: 520px; top: -60px; width: 800px; transform: rotate(-4deg) }
      img { display: block; width: 100%; margin-bottom: 14px; border-radius: 6px }
    </style><main>${icon}<h1>Atelier</h1><p>Your pictures on the wall, live in every open browser.</p></main><div>${pictures.join("")}</div>`);
    await page.evaluate(async () => {
      await document.fonts.ready;
      await Promise.all([...document.images].map((image) => image.decode()));
    });
    return await sharp(await page.screenshot())
      .png({ palette: true, colours: 128, effort: 10, dither: 0.6 })
      .toBuffer();
  } finally {
    await browser.close();
  }
}

await main();
