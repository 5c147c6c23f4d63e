// Decodes HEIC and PDF from stdin to a line of JSON and RGBA pixels. A separate process: the decoders are risky and cannot be interrupted.
// Plain JavaScript: Node receives it as text. Arguments: decoder ("heic" or "pdf"), its module, and JSON with the request and its limits.
import { readFileSync, writeFileSync, writeSync } from "node:fs";
import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";

try {
  // When memory is short, Linux ends this process instead of the app.
  writeFileSync("/proc/self/oom_score_adj", "1000");
} catch {
  // Other systems do not have this file.
}

const [, kind = "", modulePath = "", options = "{}"] = process.argv;
const { memoryLimit, cpuLimit, maxPixels, maxPages, dpi, page, side } = JSON.parse(options);
const load = createRequire(modulePath);
// The decoders would print into the output, which contains the pixels.
console.log = () => {};

// The decoder blocks this thread, so another one checks the limits.
const watch = `
  const { writeSync } = require("node:fs");
  setInterval(() => {
    const { user, system } = process.cpuUsage();
    const problem = process.memoryUsage.rss() >= ${memoryLimit} ? "memory" : (user + system) / 1000 >= ${cpuLimit} ? "time" : null;
    if (problem === null) return;
    writeSync(2, problem);
    process.kill(process.pid, "SIGKILL");
  }, 20);
`;
const watcher = new Worker(watch, { eval: true, execArgv: [] });
watcher.unref();

/** `process.exit` can wait forever for a thread that is still starting (https://github.com/nodejs/node/issues/54918). */
const end = () => process.kill(process.pid, "SIGKILL");

function refuse(problem) {
  writeSync(2, problem);
  end();
}

function write(bytes) {
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(1, bytes, at);
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
    }
  }
}

function send(pictures, properties) {
  const sizes = pictures.map(({ width, height, own }) => ({ width, height, own }));
  write(Buffer.from(`${JSON.stringify({ ...properties, pictures: sizes })}\n`));
  for (const { pixels } of pictures) write(pixels);
}

async function decodeHeic(file) {
  const { HeifDecoder } = load(modulePath);
  const image = new HeifDecoder().decode(file)[0];
  if (!image) return refuse("broken");
  const [width, height] = [image.get_width(), image.get_height()];
  if (width * height > maxPixels) return refuse("large");
  const pixels = await new Promise((resolve) => {
    image.display({ data: new Uint8ClampedArray(width * height * 4), width, height }, (shown) => resolve(shown?.data));
  });
  if (!pixels) return refuse("broken");
  send([{ width, height, pixels: Buffer.from(pixels.buffer) }], {});
}

async function decodePdf(file) {
  const { PDFiumLibrary } = load(modulePath);
  const library = await PDFiumLibrary.init();
  let document;
  try {
    document = await library.loadDocument(file);
  } catch (error) {
    return refuse(/password|security/i.test(error.message) ? "encrypted" : "broken");
  }
  const count = document.getPageCount();
  if (count === 0) return refuse("broken");
  if (count > maxPages) return refuse("pages");
  const pictures = [];
  for (let number = 1; number <= count; number++) {
    if (page !== undefined && number !== page) continue;
    const each = document.getPage(number - 1);
    const { originalWidth, originalHeight } = each.getOriginalSize();
    if (!(originalWidth > 0 && originalHeight > 0)) return refuse("broken");
    const scale = Math.min(
      dpi / 72,
      Math.sqrt(maxPixels / (originalWidth * originalHeight)),
      maxSide / Math.max(originalWidth, originalHeight),
    );
    const own = { width: Math.max(1, Math.floor(originalWidth * scale)), height: Math.max(1, Math.floor(originalHeight * scale)) };
    const shrunk = side === undefined ? 1 : Math.min(1, side / Math.max(own.width, own.height));
    const width = Math.max(1, Math.round(own.width * shrunk));
    const height = Math.max(1, Math.round(own.height * shrunk));
    const { data } = await each.render({ width, height, render: "bitmap" });
    pictures.push({ width, height, own, pixels: Buffer.from(data) });
  }
  if (pictures.length === 0) return refuse("broken");
  send(pictures, {});
}

const maxSide = 16_383;

try {
  await (kind === "heic" ? decodeHeic : decodePdf)(readFileSync(0));
  end();
} catch (error) {
  refuse(/memory|out of bounds|grow/i.test(String(error)) ? "memory" : "broken");
}
