import { expect, test } from "@playwright/test";
import { freePort } from "../harness/app.ts";
import { engine, ready, startContainer } from "./container-engine.ts";

const IMAGE = process.env.CONTAINER_IMAGE ?? "";
const STOPPED_WITHIN_MS = 3000;

test("stops within 3 s at any moment of its start, and starts again", { tag: "@container-early-stop" }, async () => {
  const data = await engine("volume", "create");
  try {
    for (let delay = 0; delay <= 3000; delay += 200) {
      const container = await startContainer({ image: IMAGE, data, port: await freePort() });
      await new Promise((resolve) => setTimeout(resolve, delay));
      const took = await container.stop();
      expect(took, `stopped after ${delay} ms`).toBeLessThan(STOPPED_WITHIN_MS);
      await container.remove();
    }
    const container = await startContainer({ image: IMAGE, data, port: await freePort() });
    await ready(container);
    await container.stop();
    expect(await container.wait()).toBe(0);
    await container.remove();
  } finally {
    await engine("volume", "rm", data);
  }
});
