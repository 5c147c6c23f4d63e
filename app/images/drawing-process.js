/**
 * Draws SVG in a process of its own (`drawing.server.ts` starts it): what a drawing costs cannot be told from its size, and librsvg, once at work,
 * listens to nobody. Plain JavaScript, since it is handed to Node as text. Arguments: where sharp is, how much memory this process may have, and how
 * long it may compute for one question, in ms. A question is `{ svg, density? }`: without
 * `density` the answer is the drawing's own size, with it a PNG.
 */
import { createRequire } from "node:module";

const [, sharpPath = "", ceiling = "0", patience = "0"] = process.argv;
const sharp = createRequire(sharpPath)(sharpPath);
sharp.block({ operation: ["VipsForeignLoad"] });
sharp.unblock({ operation: ["VipsForeignLoadSvg"] });
sharp.cache(false);
sharp.concurrency(1);

// A thread that still draws would keep an orderly end waiting.
const end = () => process.kill(process.pid, "SIGKILL");
process.on("disconnect", end);

process.on("message", (question) => void answer(question));

async function answer({ svg, density }) {
  const before = process.cpuUsage();
  // Drawing is done in another thread, so that this one can look on.
  const watch = setInterval(() => {
    const { user, system } = process.cpuUsage(before);
    const problem = process.memoryUsage.rss() >= Number(ceiling) ? "memory" : (user + system) / 1000 >= Number(patience) ? "time" : null;
    if (problem === null) return;
    process.send({ problem }, end);
    clearInterval(watch);
  }, 10);
  try {
    const drawing = sharp(Buffer.from(svg), { failOn: "error", ...(density && { density }) });
    if (density === undefined) {
      const { format, width, height } = await drawing.metadata();
      process.send({ format, width, height });
    } else {
      process.send({ png: await drawing.png({ compressionLevel: 1 }).toBuffer() });
    }
  } catch {
    process.send({ problem: "broken" });
  } finally {
    clearInterval(watch);
  }
}
