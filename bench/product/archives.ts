import { manyImages } from "../../tests/e2e/support/pictures.ts";
import { startApp } from "../../tests/harness/app.ts";
import { startPrepared } from "../../tests/harness/balanced.ts";
import { signUp } from "../../tests/harness/people.ts";
import { atMost, type Figure, median } from "../report.ts";

const IMAGES = Number(process.env["ARCHIVE_IMAGES"] ?? 400);
const ROUNDS = 3;
const LATENCY = "40";
const MAX_SLOWDOWN = 3;

export async function archives(): Promise<Figure[]> {
  const near = await measure([]);
  const far = await measure(["--latency", LATENCY]);
  const shown = (ms: number) => `${(ms / 1000).toFixed(2)} s (${(ms / IMAGES).toFixed(1)} ms each)`;
  return [
    { name: `archive of ${IMAGES} images, deployment without latency`, value: shown(near) },
    { name: `archive of ${IMAGES} images, ${LATENCY} ms latency`, value: shown(far) },
    atMost(`${LATENCY} ms latency ÷ without latency`, far / near, MAX_SLOWDOWN, ""),
  ];
}

async function measure(flags: string[]): Promise<number> {
  const deployment = await startPrepared(flags);
  const started = await startApp(deployment.settings);
  const app = { ...started, deployment: { url: deployment.url, forBrowsers: deployment.url } };
  try {
    const person = await signUp(app.url);
    const { designId } = await manyImages(app, person, IMAGES);
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const began = performance.now();
      const answer = await fetch(`${app.url}/download/designs/${designId}.zip`, { headers: { Cookie: person.cookieHeader } });
      if (answer.status !== 200) throw new Error(`The archive was answered with ${answer.status}`);
      await answer.arrayBuffer();
      times.push(performance.now() - began);
    }
    return median(times);
  } finally {
    await started.dispose();
    await deployment.close();
  }
}
