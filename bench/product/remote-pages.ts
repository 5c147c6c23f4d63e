import { manyImages } from "../../tests/e2e/support/pictures.ts";
import { startApp } from "../../tests/harness/app.ts";
import { startPrepared } from "../../tests/harness/balanced.ts";
import { signUp } from "../../tests/harness/people.ts";
import { atMost, type Figure, median } from "../report.ts";

const LATENCY_MS = 40;
const IMAGES = 20;
const WARM_UP = 20;
const REQUESTS = 100;
const MAX_ADDED_LATENCIES = 1.3;

export async function remotePages(): Promise<Figure[]> {
  const near = await measure([]);
  const far = await measure(["--latency", String(LATENCY_MS)]);
  return Object.entries(near).flatMap(([name, ms]) => {
    const remote = far[name] ?? NaN;
    return [
      { name: `${name}, embedded`, value: `${ms.toFixed(1)} ms` },
      { name: `${name}, ${LATENCY_MS} ms latency`, value: `${remote.toFixed(1)} ms` },
      atMost(`${name}: added time ÷ latency`, (remote - ms) / LATENCY_MS, MAX_ADDED_LATENCIES, ""),
    ];
  });
}

async function measure(flags: string[]): Promise<Record<string, number>> {
  const deployment = await startPrepared(flags);
  const started = await startApp(deployment.settings);
  const app = { ...started, deployment: { url: deployment.url, forBrowsers: deployment.url } };
  try {
    const person = await signUp(app.url);
    const { path } = await manyImages(app, person, IMAGES);
    const first = await fetch(`${app.url}/projects`, { headers: { Cookie: person.cookieHeader } });
    const token = first.headers.getSetCookie().map((line) => line.split(";", 1)[0] ?? "");
    const headers = { Cookie: [person.cookieHeader, ...token].join("; ") };
    const times: Record<string, number> = {};
    for (const [name, address] of Object.entries({ "/projects": "/projects", "/design/:id": path })) {
      const taken: number[] = [];
      for (let request = -WARM_UP; request < REQUESTS; request++) {
        const began = performance.now();
        const answer = await fetch(app.url + address, { headers });
        await answer.text();
        if (answer.status !== 200) throw new Error(`${address} was answered with ${answer.status}`);
        if (request >= 0) taken.push(performance.now() - began);
      }
      times[name] = median(taken);
    }
    return times;
  } finally {
    await started.dispose();
    await deployment.close();
  }
}
