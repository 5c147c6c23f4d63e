import { once } from "node:events";
import { createServer, request, type Server } from "node:http";
import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { appServer, type Backend, type Caller, type Person, probe, signUp } from "../../../tests/convex/backends.ts";
import { startAppBackend } from "../../../tests/convex/app-backend.ts";
import { addImage } from "../../../tests/convex/pictures.ts";
import type { AppConfig } from "~/config";
import type { Network } from "~/lib/http/fetch/public-fetch.server";
import { api } from "#convex/_generated/api";
import type { Id } from "#convex/_generated/dataModel";
import { createWebhookSecret } from "./webhook-secret.server";
import { startWebhookWorker } from "./worker.server";

let backend: Backend;
let config: AppConfig;
let server: Caller;
let started: Awaited<ReturnType<typeof startAppBackend>>;
let receiver: Server;
let url: string;
let status = 204;
const held = new Set<string>();
const received: { id: string; body: { type: string; data: { items: { id: string }[] } } }[] = [];
let ada: Person;
let projectId: Id<"projects">;
let designId: Id<"designs">;

beforeAll(async () => {
  started = await startAppBackend();
  ({ backend, config } = started);
  server = await appServer(backend);
  receiver = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      received.push({ id: String(incoming.headers["webhook-id"]), body: JSON.parse(Buffer.concat(chunks).toString()) });
      if (!held.has(incoming.url ?? "")) response.writeHead(status).end();
    });
  }).listen(0, "127.0.0.1");
  await once(receiver, "listening");
  const address = receiver.address();
  url = `https://localhost:${address && typeof address === "object" ? address.port : 0}/hook`;
});
afterAll(async () => {
  receiver.closeAllConnections();
  receiver.close();
  await started.close();
});
beforeEach(async () => {
  received.splice(0);
  held.clear();
  status = 204;
  ada = await signUp(backend, "ada");
  projectId = await ada.mutation(api.projects.create, { name: "Shown" });
  designId = await ada.mutation(api.designs.create, { projectId, name: "Cover" });
});

const network: Network = {
  protocol: "https:",
  isAllowed: (address) => address === "127.0.0.1" || address === "::1",
  request: (to, options, onResponse) => request(to.href.replace("https:", "http:"), options, onResponse),
};

type Events = ("image.created" | "comment.created" | "status.changed")[];

const create = (events: Events, of = { person: ada, projectId, path: "" }) => {
  const { sealedSecret } = createWebhookSecret(config);
  const { sessionId } = of.person;
  return server.mutation(api.webhooks.create, { sessionId, projectId: of.projectId, url: url + of.path, sealedSecret, events });
};

const queue = (webhookId: string, owner: string | null, count: number) =>
  backend.inside.mutation(probe.insertMany, {
    table: "webhookDeliveries",
    rows: Array.from({ length: count }, () => ({
      webhookId,
      ...(owner !== null && { owner }),
      event: "test",
      items: [],
      createdAt: Date.now(),
      dueAt: 1,
      attempts: 0,
    })),
  });
const logged = async () => (await ada.query(api.webhooks.list, { projectId })).map(({ deliveries }) => deliveries);

it("sends each new image once, also with several workers", { tags: "@webhook-once" }, async () => {
  const webhookId = await create(["image.created"]);
  await create(["comment.created"]);
  const workers = [startWebhookWorker(config, network), startWebhookWorker(config, network)];
  try {
    const images = [];
    for (const name of ["fig", "dog", "bank"]) images.push((await addImage(backend, ada, designId, name)).id);
    await ada.mutation(api.webhooks.sendTest, { projectId, webhookId });
    await vi.waitFor(async () => expect((await logged())[0]?.filter(({ state }) => state === "delivered")).toHaveLength(4), 20_000);
    expect(received.flatMap(({ body }) => body.data.items.map(({ id }) => id)).toSorted()).toEqual(images.toSorted());
    expect(received.map(({ body }) => body.type).toSorted()).toEqual([...images.map(() => "image.created"), "test"]);
    expect(new Set(received.map(({ id }) => id)).size).toBe(4);
    expect((await logged())[1]).toEqual([]);
  } finally {
    for (const worker of workers) await worker.close();
  }
});

it("sends comments and statuses to webhooks that are subscribed to them", { tags: "@webhook-comment-status" }, async () => {
  await create(["comment.created", "status.changed"]);
  const { id: image } = await addImage(backend, ada, designId, "fig");
  const worker = startWebhookWorker(config, network);
  try {
    const threadId = await ada.mutation(api.comments.startThread, { itemId: image, text: "Larger?", key: "a" });
    await ada.mutation(api.reviews.setStatus, { id: designId, status: "approved", note: "" });
    await vi.waitFor(() => expect(received).toHaveLength(2), 20_000);
    expect(received.map(({ body }) => body).toSorted((a, b) => (a.type < b.type ? -1 : 1))).toMatchObject([
      { type: "comment.created", data: { projectId, items: [{ type: "image", id: image }], comment: { threadId } } },
      { type: "status.changed", data: { items: [{ type: "design", id: designId }], status: "approved" } },
    ]);
    expect(JSON.stringify(received)).not.toContain("Larger?");
  } finally {
    await worker.close();
  }
});

it("retries a failed delivery, at most six times", { tags: "@webhook-retries" }, async () => {
  const webhookId = await create(["image.created"]);
  status = 500;
  const worker = startWebhookWorker(config, network);
  try {
    await ada.mutation(api.webhooks.sendTest, { projectId, webhookId });
    for (let attempt = 1; attempt <= 6; attempt++) {
      await vi.waitFor(async () => {
        const [delivery] = (await logged())[0] ?? [];
        expect(delivery).toMatchObject({ attempts: attempt, state: attempt < 6 ? "waiting" : "failed", status: 500 });
      }, 20_000);
      const [delivery] = (await logged())[0] ?? [];
      if (attempt === 6) break;
      expect(Number(delivery?.dueAt)).toBeGreaterThan(Date.now());
      await backend.inside.mutation(probe.patch, { table: "webhookDeliveries", id: String(delivery?._id), fields: { dueAt: Date.now() } });
    }
    expect(received).toHaveLength(6);
    expect(new Set(received.map(({ id }) => id)).size).toBe(1);
  } finally {
    await worker.close();
  }
});

it("sends to other receivers while receivers of one person do not answer", { tags: "@webhook-slow-receivers" }, async () => {
  for (const path of ["/one", "/two"]) {
    held.add(`/hook${path}`);
    await queue(await create(["comment.created"], { person: ada, projectId, path }), ada.userId, 60);
  }
  const own = await create(["comment.created"], { person: ada, projectId, path: "/three" });
  const bob = await signUp(backend, "bob");
  const bobsProject = await bob.mutation(api.projects.create, { name: "Other" });
  const bobs = await create(["comment.created"], { person: bob, projectId: bobsProject, path: "/bob" });
  const worker = startWebhookWorker(config, network);
  try {
    await vi.waitFor(() => expect(received.length).toBeGreaterThanOrEqual(10), 20_000);
    await bob.mutation(api.webhooks.sendTest, { projectId: bobsProject, webhookId: bobs });
    await vi.waitFor(async () => {
      const [webhook] = await bob.query(api.webhooks.list, { projectId: bobsProject });
      expect(webhook?.deliveries).toMatchObject([{ state: "delivered" }]);
    }, 20_000);
    expect((await logged()).flat().filter(({ status: answer, problem }) => answer !== null || problem !== null)).toEqual([]);
    await ada.mutation(api.webhooks.sendTest, { projectId, webhookId: own });
    await vi.waitFor(async () => expect((await logged())[2]).toMatchObject([{ state: "delivered" }]), 20_000);
  } finally {
    held.clear();
    receiver.closeAllConnections();
    await worker.close();
  }
});

it("sends due deliveries although many other webhooks wait for a retry", { tags: "@webhook-many-waiting" }, async () => {
  await backend.inside.mutation(probe.insertMany, {
    table: "webhooks",
    rows: Array.from({ length: 120 }, () => ({
      projectId,
      url,
      sealedSecret: createWebhookSecret(config).sealedSecret,
      events: ["image.created"],
      createdBy: ada.userId,
      createdAt: 0,
    })),
  });
  const rows = await backend.inside.query(probe.rows, { table: "webhooks", field: "projectId", value: projectId });
  const ids = rows.map(({ _id }) => String(_id)).toSorted();
  const delivery = { owner: ada.userId, event: "test", items: [], createdAt: Date.now(), attempts: 0 };
  await backend.inside.mutation(probe.insertMany, {
    table: "webhookDeliveries",
    rows: ids.map((webhookId, index) => ({ ...delivery, webhookId, dueAt: index === 115 ? 1 : Date.now() + 3_600_000 })),
  });
  const worker = startWebhookWorker(config, network);
  try {
    const [due] = await backend.inside.query(probe.rows, { table: "webhookDeliveries", field: "webhookId", value: ids[115] });
    await vi.waitFor(() => expect(received.map(({ id }) => id)).toContain(due?.["_id"]), 20_000);
  } finally {
    await worker.close();
  }
});

it("sends deliveries that the previous version stored without their owner", async () => {
  await queue(await create(["comment.created"]), null, 1);
  const worker = startWebhookWorker(config, network);
  try {
    await vi.waitFor(async () => expect((await logged())[0]).toMatchObject([{ state: "delivered" }]), 20_000);
  } finally {
    await worker.close();
  }
});

it("refuses more than ten tests of one person in a minute", { tags: "@webhook-tests-limit" }, async () => {
  const webhookIds = [await create(["image.created"]), await create(["comment.created"])];
  const sendTest = (index: number) => ada.mutation(api.webhooks.sendTest, { projectId, webhookId: webhookIds[index % 2] ?? "" });
  for (let index = 0; index < 10; index++) await sendTest(index);
  await expect(sendTest(10)).rejects.toMatchObject({ data: { code: "limit", message: "Too many tests. Try again in a minute." } });
});

it("a deleted webhook receives nothing, and its project needs no query", async () => {
  const webhookId = await create(["image.created"]);
  await ada.mutation(api.webhooks.remove, { projectId, webhookId });
  await addImage(backend, ada, designId, "fig");
  const [project] = await backend.inside.query(probe.rows, { table: "projects", field: "ownerId", value: ada.userId });
  expect(project).not.toHaveProperty("hasWebhooks");
  expect(await backend.inside.query(probe.rows, { table: "webhookDeliveries", field: "webhookId", value: webhookId })).toEqual([]);
});
