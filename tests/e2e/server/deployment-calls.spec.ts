import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import sharp from "sharp";
import { type CountingProxy, sequentialCalls, startCountingProxy } from "../../harness/proxies/counting-proxy.ts";
import { type PreparedDeployment, startPrepared } from "../../harness/balanced.ts";
import { expect, hydrated, openBrowser, type Person, type RunningApp, signIn, signUp, test } from "../../harness/test.ts";
import { addPictures, imagesIn, makeDesign } from "../support/pictures.ts";

const SCALING = fileURLToPath(new URL("../../../docs/scaling.md", import.meta.url));
const PICTURES = 12;
const IMAGE_CALLS = PICTURES / 2;
const IMAGES = /^uploads:/;
/** Excluded, because their number depends on how long a page is open. docs/scaling.md documents them separately. */
const PRESENCE = /^presence:/;

type Counted = number[];

test("counts the calls of requests and views as documented", { tag: ["@deployment-calls", "@slow"] }, async ({ launch, browser }) => {
  test.slow();
  const deployment = await startPrepared();
  const proxy = await startCountingProxy(deployment.url);
  try {
    const started = await launch({ ...deployment.settings, CONVEX_URL: proxy.url, ACCOUNTS_RATE_LIMIT: "true" });
    const app = { ...started, deployment: { url: deployment.url, forBrowsers: proxy.url } };
    const requests = await countRequests(app, proxy);
    const ada = await withToken(app, await signUp(app.url));
    const { projectId, designId } = await makeDesign(app, ada);
    const [image = ""] = await addPictures(app, ada, designId, await pictures(PICTURES));
    const pages = {
      "/projects": "/projects",
      "/projects/:id": `/projects/${projectId}`,
      "/design/:id": `/design/${designId}`,
      "/design/:id/images/:imageId": `/design/${designId}/images/${image}`,
    };
    for (const [name, path] of Object.entries(pages)) requests[name] = await counted(proxy, () => get(app, ada, path));

    const again = await withToken(app, await signIn(app.url, ada));
    const file = `/images/${image}?w=640`;
    requests["image, first time on this server"] = await counted(proxy, () => get(app, again, file));
    requests["image, shown before"] = await counted(proxy, () => get(app, again, file));
    expect.soft(requests).toEqual(await documented("Request"));

    const views: Record<string, Counted> = {};
    const kilobytes: Record<string, Counted> = {};
    for (const [name, path] of Object.entries(pages)) {
      const page = await openBrowser(browser, app, again);
      proxy.take();
      proxy.takeLiveBytes();
      await page.goto(path);
      await hydrated(page);
      const calls = await settledCalls(proxy);
      const functions = calls.filter((call) => call.function !== "" && !PRESENCE.test(call.function));
      const images = functions.filter((call) => IMAGES.test(call.function));
      const live = functions.filter((call) => call.live);
      const shown = Math.min(...live.map(({ began }) => began));
      const rendered = functions.filter((call) => call.began < shown && !IMAGES.test(call.function));
      const bytes = rendered.reduce((sum, call) => sum + call.bytes, 0);
      kilobytes[name] = [bytes, proxy.takeLiveBytes()].map((each) => each / 1000);
      expect(images.length).toBeLessThanOrEqual(IMAGE_CALLS);
      const isLive = new Set(live.map((call) => call.function));
      const before = await queryRuns(deployment, isLive);
      await addPictures(app, again, designId, await pictures(1));
      views[name] = [rendered.length, live.length, (await settledRuns(deployment, isLive)) - before];
      await page.context().close();
    }
    expect.soft(views).toEqual(await documented("View"));
    const data = await documented("Data of a view");
    expect.soft(comparable(kilobytes, data)).toEqual(data);

    const second = await launch({ ...deployment.settings, CONVEX_URL: proxy.url, APP_URL: app.url });
    proxy.take();
    await Promise.all((await imagesIn(app, again, designId)).map(({ _id }) => get(second, again, `/images/${_id}?w=640`)));
    const other = proxy.take().filter((call) => IMAGES.test(call.function));
    expect(other.length).toBeLessThanOrEqual(IMAGE_CALLS);
  } finally {
    await proxy.close();
    await deployment.close();
  }
});

/** Replaces measured kilobytes by the documented ones if they differ by at most a quarter, because ids and texts vary in length. */
function comparable(measured: Record<string, Counted>, expected: Record<string, Counted>): Record<string, Counted> {
  const isClose = (one: number, other = 0) => Math.abs(one - other) <= other / 4 + 0.5;
  return Object.fromEntries(
    Object.entries(measured).map(([name, each]) => [
      name,
      each.map((kilobytes, index) =>
        isClose(kilobytes, expected[name]?.[index]) ? (expected[name]?.[index] ?? 0) : Math.round(kilobytes),
      ),
    ]),
  );
}

async function queryRuns({ url, secrets }: PreparedDeployment, names: ReadonlySet<string>): Promise<number> {
  const { engineAdminKey } = JSON.parse(secrets);
  const answer = await fetch(`${url}/api/metrics`, { headers: { Authorization: `Convex ${engineAdminKey}` } });
  const runs = (await answer.text()).matchAll(/^convex_function_runs_total\{type="query",function="([^"]+)",outcome="ok"\} (\d+)$/gm);
  return [...runs].reduce((sum, [, name = "", count]) => (names.has(name) ? sum + Number(count) : sum), 0);
}

async function settledRuns(deployment: PreparedDeployment, names: ReadonlySet<string>): Promise<number> {
  let last = { runs: -1, at: performance.now() };
  await expect
    .poll(
      async () => {
        const runs = await queryRuns(deployment, names);
        if (runs !== last.runs) last = { runs, at: performance.now() };
        return performance.now() - last.at > 1000;
      },
      { intervals: [100] },
    )
    .toBe(true);
  return last.runs;
}

async function countRequests(app: RunningApp, proxy: CountingProxy): Promise<Record<string, Counted>> {
  const counts: Record<string, Counted> = {};
  let eve: Person | undefined;
  counts["sign-up"] = await counted(proxy, async () => (eve = await signUp(app.url)));
  if (!eve) throw new Error("Nobody signed up");
  const known = eve;
  counts["sign-in"] = await counted(proxy, async () => (eve = await signIn(app.url, known)));
  counts["/projects, first page after sign-in"] = await counted(proxy, async () => (eve = await withToken(app, eve ?? known)));
  const { designId } = await makeDesign(app, eve);
  proxy.take();
  const [, picture] = await pictures(2);
  if (!picture) throw new Error("No picture");
  const encoded = (text: string) => Buffer.from(text).toString("base64");
  const own = { Origin: app.url, Cookie: eve.cookieHeader, "Tus-Resumable": "1.0.0" };
  let address = "";
  counts["upload, three requests"] = await counted(proxy, async () => {
    const checksum = createHash("sha256").update(picture.buffer).digest("hex");
    const metadata = `design ${encoded(designId)},filename ${encoded(picture.name)},checksum ${encoded(checksum)}`;
    const made = await send(app, "/uploads", "POST", {
      ...own,
      "Upload-Length": String(picture.buffer.length),
      "Upload-Metadata": metadata,
    });
    address = made.headers.get("Location") ?? "";
    const bytes = { ...own, "Upload-Offset": "0", "Content-Type": "application/offset+octet-stream" };
    await send(app, address, "PATCH", bytes, new Uint8Array(picture.buffer));
    await send(app, `${address}/finish`, "POST", own);
  });
  const json = { Origin: app.url, Cookie: eve.cookieHeader, "Content-Type": "application/json" };
  const newPassword = `${eve.password} 2`;
  counts["change password"] = await counted(proxy, () =>
    send(app, "/api/auth/change-password", "POST", json, JSON.stringify({ currentPassword: known.password, newPassword })),
  );
  counts["delete account"] = await counted(proxy, () =>
    send(app, "/api/auth/delete-user", "POST", json, JSON.stringify({ password: newPassword })),
  );
  return counts;
}

async function counted(proxy: CountingProxy, act: () => Promise<unknown>): Promise<Counted> {
  proxy.take();
  await act();
  const calls = proxy.take().filter(({ ended }) => ended !== Infinity);
  return [sequentialCalls(calls), calls.filter((call) => call.function !== "").length];
}

async function settledCalls(proxy: CountingProxy) {
  const calls: ReturnType<CountingProxy["take"]> = [];
  await expect
    .poll(
      () => {
        calls.push(...proxy.take());
        const last = Math.max(...calls.map(({ began, ended, live }) => (live ? began : ended)));
        return calls.length > 0 && performance.now() - last > 2000;
      },
      { intervals: [100] },
    )
    .toBe(true);
  return calls;
}

async function send(
  app: RunningApp,
  path: string,
  method: string,
  headers: Record<string, string>,
  body?: string | Uint8Array<ArrayBuffer>,
) {
  const answer = await fetch(app.url + path, { method, headers, ...(body !== undefined && { body }) });
  expect(answer.ok, `${method} ${path}: ${answer.status}`).toBe(true);
  await answer.arrayBuffer();
  return answer;
}

const get = (app: RunningApp, person: Person, path: string) => send(app, path, "GET", { Cookie: person.cookieHeader });

async function withToken(app: RunningApp, person: Person): Promise<Person> {
  const set = (await get(app, person, "/projects")).headers.getSetCookie().map((line) => line.split(";", 1)[0] ?? "");
  const added = set.map((pair) => {
    const [name = "", value = ""] = pair.split(/=(.*)/s);
    return { name, value, url: app.url, httpOnly: true, sameSite: "Lax" as const };
  });
  const cookies = [...person.cookies.filter(({ name }) => !added.some((each) => each.name === name)), ...added];
  return { ...person, cookies, cookieHeader: cookies.map(({ name, value }) => `${name}=${value}`).join("; ") };
}

async function pictures(count: number) {
  return Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const background = { r: (index * 20) % 256, g: 120, b: 60 };
      const buffer = await sharp({ create: { width: 900, height: 600, channels: 3, background } })
        .png()
        .toBuffer();
      return { name: `picture ${index}.png`, mimeType: "image/png", buffer };
    }),
  );
}

async function documented(title: string): Promise<Record<string, Counted>> {
  const lines = (await readFile(SCALING, "utf8")).split("\n");
  const start = lines.findIndex((line) => line.startsWith(`| ${title} `));
  const rows = lines.slice(start + 2, lines.indexOf("", start));
  return Object.fromEntries(
    rows.map((line) => {
      const [, name = "", ...counts] = line.split("|").map((cell) => cell.trim().replaceAll("`", ""));
      return [name, counts.filter((cell) => /^\d+$/.test(cell)).map(Number)];
    }),
  );
}
