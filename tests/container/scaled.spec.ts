import { randomBytes, randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { type Browser, expect, type Page, test } from "@playwright/test";
import sharp from "sharp";
import { api } from "../../convex/_generated/api.js";
import { deploymentAs, imagesIn, makeDesign, send } from "../e2e/support/pictures.ts";
import { pageActions } from "../e2e/support/page-actions.ts";
import { freePort } from "../harness/app.ts";
import { type Person, signUp } from "../harness/people.ts";
import { printedSettings } from "../harness/setup-convex.ts";
import { hydrated } from "../harness/test.ts";
import { composed, docker } from "./compose.ts";

const IMAGE = process.env.CONTAINER_IMAGE ?? "";
/** Measured from the failure of an app server, because the others respond, and from the end of any other fault. */
const RECOVERED_WITHIN_MS = 15_000;
const OUTAGE_MS = 5000;

type Scaled = Awaited<ReturnType<typeof startScaled>>;

async function startScaled() {
  const [port, deploymentPort] = [await freePort(), await freePort()];
  const url = `http://localhost:${port}`;
  const project = await composed(IMAGE, {
    APP_PORT: `${port}`,
    DEPLOYMENT_PORT: `${deploymentPort}`,
    APP_URL: url,
    CONVEX_URL: `http://convex.localhost:${deploymentPort}`,
    CONVEX_DEPLOY_KEY: `scaled|${randomBytes(32).toString("hex")}`,
  });
  try {
    const settings = printedSettings(await project.compose("--profile", "scaled", "--profile", "setup", "run", "--rm", "-T", "setup"));
    expect(Object.keys(settings).toSorted()).toEqual(["BETTER_AUTH_SECRET", "CONVEX_URL", "TOKEN_SIGNING_KEY"]);
    project.set(settings);
    await project.compose("--profile", "scaled", "up", "--detach", "--scale", "app=2");
    await expect(async () => expect(await serversAt(url)).toEqual(new Set(["app1", "app2"]))).toPass();
  } catch (error) {
    console.error(await project.compose("--profile", "scaled", "logs", "--tail", "40"));
    await project.down();
    throw error;
  }
  const address = `http://127.0.0.1:${deploymentPort}`;
  return { ...project, url, deployment: { url: address, forBrowsers: address } };
}

async function serversAt(url: string): Promise<Set<string | null>> {
  const answers = await Promise.all(Array.from({ length: 6 }, () => fetch(`${url}/readyz`)));
  return new Set(answers.map(({ ok, headers }) => (ok ? headers.get("x-app-server") : null)));
}

async function openAt(browser: Browser, app: Scaled, person: Person, server: string): Promise<Page> {
  const context = await browser.newContext({ baseURL: app.url });
  await context.addCookies(person.cookies);
  const page = await context.newPage();
  await expect(async () => expect((await page.goto("/projects"))?.headers()["x-app-server"]).toBe(server)).toPass();
  await hydrated(page);
  return page;
}

function startLoad(app: Scaled, person: Person, designId: string) {
  const acknowledged = { projects: new Set<string>(), images: new Set<string>() };
  const stopping = new AbortController();
  const repeat = async (work: () => Promise<unknown>) => {
    while (!stopping.signal.aborted) {
      await work().catch(() => undefined);
      await sleep(100);
    }
  };
  const headers = { Cookie: person.cookieHeader, Origin: app.url };
  const running = [
    repeat(async () => {
      const convex = await deploymentAs(app, person);
      acknowledged.projects.add(await convex.mutation(api.projects.create, { name: "By the deployment" }));
    }),
    repeat(async () => {
      const body = new URLSearchParams({ intent: "createProject", name: "By a form" });
      const answer = await fetch(`${app.url}/projects`, { method: "POST", redirect: "manual", headers, body });
      const id = /\/projects\/(\w+)$/.exec(answer.headers.get("location") ?? "")?.[1];
      if (answer.status === 303 && id) acknowledged.projects.add(id);
    }),
    repeat(async () => {
      const answer = await send(app, person, designId, [await picture()]);
      const { results } = await answer.json();
      if (results[0]?.ok) acknowledged.images.add(String(results[0].imageId));
    }),
  ];
  return async () => {
    stopping.abort();
    await Promise.all(running);
    return acknowledged;
  };
}

async function picture() {
  const [r = 0, g = 0, b = 0] = randomBytes(3);
  const buffer = await sharp({ create: { width: 400, height: 300, channels: 3, background: { r, g, b } } })
    .jpeg()
    .toBuffer();
  return { name: `${randomUUID()}.jpg`, mimeType: "image/jpeg", buffer };
}

async function expectStored(
  app: Scaled,
  person: Person,
  designId: Parameters<typeof imagesIn>[2],
  stored: { projects: Set<string>; images: Set<string> },
) {
  const convex = await deploymentAs(app, person);
  for (const id of stored.projects) expect(await convex.query(api.projects.getProjectById, { id })).toMatchObject({ _id: id });
  expect((await imagesIn(app, person, designId)).map(({ _id }) => String(_id))).toEqual(expect.arrayContaining([...stored.images]));
  for (const id of stored.images) {
    const answer = await fetch(`${app.url}/images/${id}?w=320`, { headers: { Cookie: person.cookieHeader } });
    expect((await answer.arrayBuffer()).byteLength).toBeGreaterThan(0);
    expect(answer.status).toBe(200);
  }
}

const answers: Record<string, (app: Scaled) => Promise<void>> = {
  deployment: async (app) => {
    const [container = ""] = await app.containers("deployment");
    const isHealthy = () => docker("inspect", "--format={{.State.Health.Status}}", container);
    await expect.poll(isHealthy, { timeout: 60_000 }).toBe("healthy");
  },
  balancer: (app) => expect(() => fetch(`${app.deployment.url}/version`)).toPass({ timeout: 60_000 }),
};

const ALIASES: Record<string, string[]> = { app: ["app"], deployment: ["deployment"], balancer: ["balancer", "convex.localhost"] };

const faults: Record<string, (app: Scaled, service: string, container: string) => Promise<number>> = {
  async kill(app, service, container) {
    const startedAt = () => docker("inspect", "--format={{.State.StartedAt}}", container);
    const before = await startedAt();
    await docker("exec", container, "sh", "-c", "kill -9 -1");
    const killed = Date.now();
    if (service === "app") return killed;
    await expect.poll(startedAt).not.toBe(before);
    await answers[service]?.(app);
    console.log(`${service}, kill: answers again after ${Date.now() - killed} ms`);
    return Date.now();
  },
  async pause(_app, service, container) {
    const began = Date.now();
    await docker("pause", container);
    await sleep(OUTAGE_MS);
    if (service !== "app") await docker("unpause", container);
    return service === "app" ? began : Date.now();
  },
  async disconnect(app, service, container) {
    const began = Date.now();
    const network = `${app.project}_default`;
    await docker("network", "disconnect", network, container);
    await sleep(OUTAGE_MS);
    if (service === "app") return began;
    await connect(network, service, container);
    return Date.now();
  },
};

const connect = (network: string, service: string, container: string) =>
  docker("network", "connect", ...(ALIASES[service] ?? []).map((alias) => `--alias=${alias}`), network, container);

async function endFault(app: Scaled, fault: string, service: string, container: string): Promise<void> {
  if (service !== "app") return;
  if (fault === "pause") await docker("unpause", container);
  if (fault === "disconnect") await connect(`${app.project}_default`, service, container);
}

let app: Scaled;
let person: Person;
let pages: [Page, Page];

test.describe.configure({ mode: "default", timeout: 300_000 });
test.beforeAll(async ({ browser }) => {
  app = await startScaled();
  person = await signUp(app.url, "Ada");
  pages = [await openAt(browser, app, person, "app1"), await openAt(browser, app, person, "app2")];
});
test.afterAll(async () => {
  for (const page of pages ?? []) await page.context().close();
  await app?.down();
});

test("two browsers on different app servers see each other's changes", { tag: "@scaled-live" }, async () => {
  for (const [one, other] of [pages, pages.toReversed()]) {
    if (!one || !other) continue;
    const name = randomUUID();
    await one.goto("/projects");
    await hydrated(one);
    await pageActions(one, true).create("project", name);
    await expect(other.getByRole("main").getByText(name)).toBeVisible();
    await one.goto("/projects");
    await hydrated(one);
  }
});

for (const service of ["app", "deployment", "balancer"])
  for (const [fault, inject] of Object.entries(faults))
    test(`recovers within 15 s after ${fault} of the ${service}, and loses nothing`, { tag: `@scaled-${service}-${fault}` }, async () => {
      const worker = await signUp(app.url, "Grace");
      const { designId } = await makeDesign(app, worker);
      const stop = startLoad(app, worker, designId);
      const [container = ""] = await app.containers(service);
      const name = randomUUID();
      const from = await inject(app, service, container);
      const left = () => Math.max(RECOVERED_WITHIN_MS - (Date.now() - from), 1);
      await expect(async () => {
        const convex = await deploymentAs(app, person);
        await convex.mutation(api.projects.create, { name });
      }).toPass({ timeout: left(), intervals: [250] });
      for (const page of pages) await expect(page.getByRole("main").getByText(name)).toBeVisible({ timeout: left() });
      const [page] = pages;
      await page.getByRole("main").getByRole("link", { name }).first().click({ timeout: left() });
      await expect(page.getByRole("heading", { name, level: 1 })).toBeAttached({ timeout: left() });
      console.log(`${service}, ${fault}: recovered after ${Date.now() - from} ms`);
      await endFault(app, fault, service, container);
      await page.goBack();
      await hydrated(page);
      const acknowledged = await stop();
      expect(acknowledged.projects.size).toBeGreaterThan(0);
      await expect(() => expectStored(app, worker, designId, acknowledged)).toPass();
    });
