import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { request as httpsRequest, type RequestOptions } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { api } from "../../convex/_generated/api.js";
import { addPictures, deploymentAs, imagesIn, makeDesign } from "../e2e/support/pictures.ts";
import { tray } from "../e2e/support/uploads.ts";
import { noise } from "../fixtures/pictures.ts";
import { anonymousMiB, processesBelow } from "../harness/processes.ts";
import type { RunningProxy } from "./running-proxy.ts";
import { type Behind, expect, hydrated, openPage, signUp, test } from "./site.ts";

const CONFIGURED = ["nginx", "Caddy", "HAProxy", "Apache"] as const;
const ALL: readonly Behind[] = [...CONFIGURED, "nginx with its defaults"];
const IDLE_MS = 5 * 60_000;
const NOTICE = "Live updates may be slow";

type Asked = Omit<RequestOptions, "headers"> & { headers?: Record<string, string | number> };

function sendRequest(proxy: RunningProxy, options: Asked, body?: string): Promise<IncomingMessage> {
  const { port, url } = proxy;
  const request = httpsRequest({
    host: "127.0.0.1",
    port,
    ...options,
    headers: { Host: new URL(url).host, Origin: url, ...options.headers },
  });
  request.end(body);
  return once(request, "response").then(
    ([answer]) => answer,
    (error: unknown) => {
      // HAProxy closes a kept connection without an answer, so that the client repeats the request, as browsers do (RFC 9110, 9.2.2).
      if (request.reusedSocket && request.method === "GET") return sendRequest(proxy, options, body);
      throw error;
    },
  );
}

for (const name of ALL) {
  const isConfigured = name !== "nginx with its defaults";

  test(`${name}: pages use HTTP/2 and are live`, async ({ site: { app, proxies }, browser }) => {
    const proxy = proxies[name];
    const person = await signUp(proxy.url);
    const { page, websockets } = await openPage(browser, proxy, person);
    const answer = await page.goto("/projects");
    await hydrated(page);
    expect(answer?.headers()["strict-transport-security"]).toBeDefined();
    expect(
      await page.evaluate(() => performance.getEntriesByType("navigation").map((entry) => Reflect.get(entry, "nextHopProtocol"))),
    ).toEqual(["h2"]);
    if (!isConfigured) await expect(page.getByRole("button", { name: NOTICE })).toBeVisible();
    const convex = await deploymentAs({ ...app, url: proxy.url }, person);
    await convex.mutation(api.projects.create, { name: "Nightfall" });
    await expect(page.getByRole("main").getByText("Nightfall")).toBeVisible();
    await page.getByRole("button", { name: "New project" }).first().click();
    await page.getByRole("dialog").getByLabel("Name").fill("Daybreak");
    await page.getByRole("dialog").getByRole("button", { name: "Create project" }).click();
    await expect(page.getByRole("heading", { name: "Daybreak", level: 1 })).toBeAttached();
    if (isConfigured) {
      expect(websockets).toEqual([expect.stringMatching(/^wss:/)]);
      await expect(page.getByRole("button", { name: NOTICE })).toHaveCount(0);
    }
    await page.context().close();
  });

  test(`${name}: an archive of 1 GB passes without being stored`, async ({ site: { app, proxies } }) => {
    test.slow();
    const proxy = proxies[name];
    const at = { ...app, url: proxies.nginx.url };
    const person = await signUp(at.url);
    const { designId } = await makeDesign(at, person);
    const file = await noise("large.png", 2000, 2000);
    const [first = ""] = await addPictures(at, person, designId, [file]);
    const convex = await deploymentAs(at, person);
    const images = Math.ceil(1e9 / file.buffer.length);
    for (let count = 1; count < images; count++) await convex.mutation(api.designImages.duplicate, { id: first });

    const answer = await sendRequest(proxy, { path: `/download/designs/${designId}.zip`, headers: { Cookie: person.cookieHeader } });
    expect(answer.statusCode).toBe(200);
    let bytes = 0;
    let most = { memory: 0, disk: 0 };
    for await (const chunk of answer) {
      const before = bytes;
      bytes += chunk.length;
      // Pauses like a slow client, so that the proxy could buffer the rest.
      if (Math.floor(bytes / 300e6) === Math.floor(before / 300e6)) continue;
      await sleep(2000);
      const { memory, disk } = await storedBy(proxy);
      most = { memory: Math.max(most.memory, memory), disk: Math.max(most.disk, disk) };
    }
    expect(bytes).toBeGreaterThan(1e9);
    expect(most.memory).toBeLessThan(100);
    expect(most.disk).toBeLessThan(20e6);
  });
}

for (const name of CONFIGURED) {
  test(`${name}: rate limits count the client's address, not its headers`, async ({ site: { proxies } }) => {
    const body = JSON.stringify({ email: "nobody@example.com", password: "not this one" });
    const index = CONFIGURED.indexOf(name);
    const attempt = async (localAddress: string, claim: string) => {
      const headers = { "Content-Type": "application/json", "Content-Length": body.length, "X-Forwarded-For": claim };
      const answer = await sendRequest(proxies[name], { method: "POST", path: "/api/auth/sign-in/email", localAddress, headers }, body);
      answer.resume();
      return answer.statusCode;
    };
    const statuses = [];
    for (let count = 0; count < 4; count++) statuses.push(await attempt(`127.0.2.${index}`, `198.51.100.${count}`));
    expect(statuses).toEqual([401, 401, 401, 429]);
    expect(await attempt(`127.0.3.${index}`, "198.51.100.0")).toBe(401);
  });
}

test("a restart of the app fails no page where the proxy waits", async ({ site: { app, proxies } }) => {
  const statuses: Record<string, (number | undefined)[]> = {};
  const stop = new AbortController();
  const visiting = (["Caddy", "HAProxy"] as const).map(async (name) => {
    const seen: (number | undefined)[] = (statuses[name] = []);
    while (!stop.signal.aborted) {
      const answer = await sendRequest(proxies[name], { path: "/sign-in" });
      seen.push(answer.statusCode);
      await answer.resume().toArray();
    }
  });
  await expect.poll(() => Object.values(statuses).every(({ length }) => length > 3)).toBe(true);
  await app.stop();
  await app.start();
  const before = Object.values(statuses).map(({ length }) => length);
  await expect.poll(() => Object.values(statuses).every(({ length }, index) => length > (before[index] ?? 0) + 3)).toBe(true);
  stop.abort();
  await Promise.all(visiting);
  expect(Object.fromEntries(Object.entries(statuses).map(([name, seen]) => [name, [...new Set(seen)]]))).toEqual({
    Caddy: [200],
    HAProxy: [200],
  });
});

test("receives 50 MB at 1 MB/s, and logs a proxy that stores uploads", async ({ site: { app, proxies }, browser }) => {
  test.slow();
  const folder = await mkdtemp(join(tmpdir(), "atelier-large-"));
  const { buffer } = await noise("large.png", 4070, 4070);
  const checksum = createHash("sha256").update(buffer).digest("hex");
  const file = join(folder, "large.png");
  await writeFile(file, buffer);
  const person = await signUp(proxies.nginx.url);
  const uploaded = async (name: Behind, startedAt = Date.now()) => {
    const owner = name === "nginx with its defaults" ? await signUp(proxies[name].url) : person;
    const { designId, path } = await makeDesign({ ...app, url: proxies[name].url }, owner);
    const { page } = await openPage(browser, proxies[name], owner);
    const devTools = await page.context().newCDPSession(page);
    await page.goto(path);
    await hydrated(page);
    await devTools.send("Network.enable");
    await devTools.send("Network.emulateNetworkConditions", { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 1e6 });
    await page.getByLabel("Add images").setInputFiles(file);
    await expect(tray(page).getByRole("heading")).toHaveText("1 image added", { timeout: 200_000 });
    expect(Date.now() - startedAt).toBeGreaterThan(40_000);
    expect((await imagesIn({ ...app, url: proxies[name].url }, owner, designId)).map((image) => image.checksum)).toEqual([checksum]);
    await page.context().close();
  };
  const isLogged = () => app.output().includes("a proxy buffers uploads");
  await Promise.all(CONFIGURED.map((name) => uploaded(name)));
  expect(isLogged()).toBe(false);
  await uploaded("nginx with its defaults");
  expect(isLogged()).toBe(true);
  await rm(folder, { recursive: true });
});

test("pages stay live through five idle minutes", { tag: "@proxies-idle" }, async ({ site: { app, proxies }, browser }) => {
  test.setTimeout(IDLE_MS + 300_000);
  const open = ALL.map(async (name) => {
    const person = await signUp(proxies[name].url);
    const { page } = await openPage(browser, proxies[name], person);
    let loads = 0;
    await page.goto("/projects");
    await hydrated(page);
    page.on("load", () => (loads += 1));
    const opened: string[] = [];
    page.on("websocket", (socket) => void opened.push(socket.url()));
    return { name, person, page, opened, loads: () => loads };
  });
  const pages = await Promise.all(open);
  await sleep(IDLE_MS);
  for (const { name, person, page, opened, loads } of pages) {
    const convex = await deploymentAs({ ...app, url: proxies[name].url }, person);
    await convex.mutation(api.projects.create, { name: "Nightfall" });
    await expect(page.getByRole("main").getByText("Nightfall")).toBeVisible();
    expect(loads(), name).toBe(0);
    // A proxy that ends connections after an idle minute would cause four.
    if (name !== "nginx with its defaults") expect(opened.length, name).toBeLessThan(2);
    await page.context().close();
  }
});

async function storedBy({ pid, folder }: RunningProxy): Promise<{ memory: number; disk: number }> {
  const processes = [pid, ...processesBelow(pid).map((each) => each.pid)];
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const sizes = entries.filter((entry) => entry.isFile()).map((entry) => stat(join(entry.parentPath, entry.name)).then(({ size }) => size));
  // nginx unlinks a temporary file while the file is still open.
  const deleted = await Promise.all(processes.map(deletedFileBytes));
  return {
    memory: processes.reduce((sum, each) => sum + (anonymousMiB(each) ?? 0), 0),
    disk: [...(await Promise.all(sizes)), ...deleted].reduce((sum, size) => sum + size, 0),
  };
}

async function deletedFileBytes(pid: number): Promise<number> {
  const descriptors = await readdir(`/proc/${pid}/fd`).catch(() => []);
  const sizes = descriptors.map(async (descriptor) => {
    const info = await stat(`/proc/${pid}/fd/${descriptor}`).catch(() => null);
    return info?.isFile() && info.nlink === 0 ? info.size : 0;
  });
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
