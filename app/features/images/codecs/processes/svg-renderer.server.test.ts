import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { oomScoreAdjustment, processesBelow } from "../../../../../tests/harness/processes";
import { createSvgRenderer, SvgRenderError } from "./svg-renderer.server";

const svg = (inner: string, size = 'width="40" height="30"') =>
  Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" ${size}>${inner}</svg>`);
const RED = svg('<path d="M0 0h40v30H0z" fill="red"/>');
const ENDLESS = svg(
  `<filter id="f" x="-9" y="-9" width="99" height="99">${'<feTurbulence baseFrequency=".01" numOctaves="9"/>'.repeat(99)}</filter><rect width="9999" height="9999" filter="url(#f)"/>`,
  'width="9999" height="9999"',
);
const ENDLESS_USES = svg(
  `<defs><path id="u0" d="M0 0h9v9z"/>${Array.from({ length: 12 }, (_, n) => `<g id="u${n + 1}">${`<use href="#u${n}"/>`.repeat(10)}</g>`).join("")}</defs><use href="#u12"/>`,
);
const problemOf = (drawn: Promise<unknown>) =>
  drawn.then(
    () => "drawn",
    (error: unknown) => (error instanceof SvgRenderError ? error.problem : String(error)),
  );

describe("createSvgRenderer", () => {
  const drawer = createSvgRenderer({ cpuLimit: 60_000, memoryLimit: 2 ** 30 });

  it("measures a drawing and draws it at the requested size", async () => {
    expect(await drawer.measure(RED)).toMatchObject({ width: 40, height: 30 });
    const { data, info } = await sharp(await drawer.draw(RED, 144))
      .raw()
      .toBuffer({ resolveWithObject: true });
    expect([info.width, info.height, ...data.subarray(0, 3)]).toEqual([80, 60, 255, 0, 0]);
  });

  it("reports a broken drawing and draws the next one", async () => {
    expect(await problemOf(drawer.measure(Buffer.from("<svg")))).toBe("broken");
    const png = await sharp({ create: { width: 1, height: 1, channels: 3, background: "red" } })
      .png()
      .toBuffer();
    expect(await problemOf(drawer.measure(png))).toBe("broken");
    expect(await drawer.measure(RED)).toMatchObject({ width: 40, height: 30 });
  });

  it("stops a drawing that takes too long while others are drawn", { tags: "@stops-drawing-takes-too-long-while" }, async () => {
    const hasty = createSvgRenderer({ cpuLimit: 1, memoryLimit: 2 ** 30 });
    const drawn = [problemOf(hasty.draw(ENDLESS, 72)), problemOf(hasty.draw(ENDLESS_USES, 720)), drawer.measure(RED)];
    expect(await Promise.all(drawn)).toMatchObject(["time", "time", { width: 40, height: 30 }]);
  });

  it("stops a drawing at its CPU limit, long before the wall-clock limit", async () => {
    const thrifty = createSvgRenderer({ cpuLimit: 200, memoryLimit: 2 ** 30, clock: 1000 });
    expect(await problemOf(thrifty.draw(ENDLESS_USES, 720))).toBe("time");
  });

  it("counts measuring towards the time limit of a drawing", async () => {
    const thrifty = createSvgRenderer({ cpuLimit: 1000, memoryLimit: 2 ** 30, clock: 1000 });
    expect((await thrifty.measure(RED)).spent).toBeGreaterThan(0);
    expect(await problemOf(thrifty.draw(ENDLESS_USES, 720, 1000))).toBe("time");
    const ample = createSvgRenderer({ cpuLimit: 1_000_000, memoryLimit: 2 ** 30, clock: 1000 });
    expect(await problemOf(ample.draw(ENDLESS_USES, 720, 1_000_000))).toBe("time");
  });

  it("stops a drawing that exceeds its memory limit", { tags: "@stops-drawing-exceeds-memory-limit" }, async () => {
    const poor = createSvgRenderer({ cpuLimit: 60_000, memoryLimit: 1 });
    expect(await problemOf(poor.draw(ENDLESS, 72))).toBe("memory");
  });

  it.runIf(process.platform === "linux")("is ended before the app without memory", { tags: "@drawing-ended-first" }, async () => {
    await drawer.measure(RED);
    const renderers = processesBelow(process.pid).filter(({ command }) => command.includes("Draws SVG"));
    expect(new Set(renderers.map(({ pid }) => oomScoreAdjustment(pid)))).toEqual(new Set([1000]));
  });
});
