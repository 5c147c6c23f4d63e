// Draws SVG, because librsvg cannot be interrupted. Plain JavaScript: Node receives it as text. A request with `density` returns a PNG,
// else the size; `spent` is earlier CPU time in ms. Arguments: path of sharp, memory limit in bytes, CPU limit per request in ms.
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";

try {
  // When memory is short, Linux ends this process instead of the app.
  writeFileSync("/proc/self/oom_score_adj", "1000");
} catch {
  // Other systems do not have this file.
}

const [, sharpPath = "", memoryLimit = "0", cpuLimit = "0"] = process.argv;
const sharp = createRequire(sharpPath)(sharpPath);
sharp.block({ operation: ["VipsForeignLoad"] });
sharp.unblock({ operation: ["VipsForeignLoadSvg"] });
sharp.cache(false);
sharp.concurrency(1);

// An orderly exit would wait for a drawing thread.
const end = () => process.kill(process.pid, "SIGKILL");
process.on("disconnect", end);

process.on("message", (question) => void answer(question));

async function answer({ svg, density, spent = 0 }) {
  const before = process.cpuUsage();
  const used = () => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
  // Another thread draws, so this one can check the limits.
  const watch = setInterval(() => {
    const problem = process.memoryUsage.rss() >= Number(memoryLimit) ? "memory" : spent + used() >= Number(cpuLimit) ? "time" : null;
    if (problem === null) return;
    process.send({ problem }, end);
    clearInterval(watch);
  }, 10);
  try {
    const drawing = sharp(Buffer.from(svg), { failOn: "error", ...(density && { density }) });
    if (density === undefined) {
      const { format, width, height } = await drawing.metadata();
      process.send({ format, width, height, spent: used() });
    } else {
      process.send({ png: await drawing.png({ compressionLevel: 1 }).toBuffer() });
    }
  } catch {
    process.send({ problem: "broken" });
  } finally {
    clearInterval(watch);
  }
}
