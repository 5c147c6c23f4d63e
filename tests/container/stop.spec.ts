import { expect, test } from "@playwright/test";
import { freePort } from "../harness/app.ts";
import { type Container, engine, ready, startContainer } from "./container-engine.ts";

const IMAGE = process.env.CONTAINER_IMAGE ?? "";
const STOPPED_WITHIN_MS = 3000;

test("stops within 3 s at any moment of its start, and starts again", { tag: "@container-early-stop" }, async () => {
  const data = await engine("volume", "create");
  const withContainer = async (work: (container: Container) => Promise<void>) => {
    const container = await startContainer({ image: IMAGE, data, port: await freePort() });
    try {
      await work(container);
    } finally {
      await container.remove();
    }
  };
  try {
    for (let delay = 0; delay <= 3000; delay += 200)
      await withContainer(async (container) => {
        await new Promise((resolve) => setTimeout(resolve, delay));
        const took = await container.stop();
        expect(took, `stopped after ${delay} ms`).toBeLessThan(STOPPED_WITHIN_MS);
      });
    await withContainer(async (container) => {
      await ready(container);
      await container.stop();
      expect(await container.wait()).toBe(0);
    });
  } finally {
    await engine("volume", "rm", data);
  }
});
