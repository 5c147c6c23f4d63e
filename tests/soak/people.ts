import { createHash, randomUUID } from "node:crypto";
import { ConvexClient } from "convex/browser";
import sharp from "sharp";
import { api } from "../../convex/_generated/api.js";
import type { RunningApp } from "../harness/app.ts";
import type { Person } from "../harness/people.ts";

/** One finished operation. `at`: ms since the run's beginning. */
export type Operation = { kind: string; at: number; ms: number };

export type Recorder = {
  operations: Operation[];
  failures: string[];
  run<Result>(kind: string, work: () => Promise<Result>): Promise<Result | undefined>;
};

export function createRecorder(): Recorder {
  const began = performance.now();
  const operations: Operation[] = [];
  const failures: string[] = [];
  return {
    operations,
    failures,
    async run(kind, work) {
      const before = performance.now();
      try {
        return await work();
      } catch (error) {
        failures.push(`${kind}: ${String(error)}`);
        return undefined;
      } finally {
        const after = performance.now();
        operations.push({ kind, at: after - began, ms: after - before });
      }
    },
  };
}

const KEPT_PROJECTS = 20;
const TABS = 2;
const PICTURES = 2;
const WAIT_MS = 30_000;

export async function work(app: RunningApp, person: Person, recorder: Recorder, signal: AbortSignal): Promise<void> {
  const tabs = await Promise.all(Array.from({ length: TABS }, () => openTab(app, person)));
  const [tab] = tabs;
  if (!tab) return;
  try {
    const { projects } = await tab.answer();
    for (let each = projects; each < KEPT_PROJECTS; each++) await tab.client.mutation(api.projects.create, { name: `Kept ${each}` });
    while (!signal.aborted) await round(app, person, tabs, recorder);
  } finally {
    await Promise.all(tabs.map((each) => each.close()));
  }
}

async function round(app: RunningApp, person: Person, tabs: Tab[], recorder: Recorder): Promise<void> {
  const run = recorder.run.bind(recorder);
  const index = Math.floor(Math.random() * tabs.length);
  const tab = tabs[index];
  if (!tab) return;
  const { client } = tab;
  await run("view projects", () => page(app, person, "/projects"));
  const projectId = await run("create", () => client.mutation(api.projects.create, { name: `Work ${randomUUID().slice(0, 8)}` }));
  if (!projectId) return;
  const designId = await run("create", () => client.mutation(api.designs.create, { projectId, name: "Cover" }));
  if (designId) {
    for (let each = 0; each < PICTURES; each++) {
      const file = await picture();
      const imageId = await run("upload", () => upload(app, person, designId, file));
      if (!imageId) continue;
      await run("view picture", () => page(app, person, `/images/${imageId}?w=320`));
      await run("rename", () => client.mutation(api.designImages.rename, { id: imageId, name: `Renamed ${each}.png` }));
    }
    await run("view design", () => page(app, person, `/design/${designId}`));
  }
  await run("delete", () => client.mutation(api.projects.remove, { id: projectId }));
  await run("restore", () => client.mutation(api.trash.restore, { id: projectId }));
  await run("delete", () => client.mutation(api.projects.remove, { id: projectId }));
  await run("empty the trash", () => client.mutation(api.trash.empty, {}));
  await run("reconnect", async () => {
    await tab.close();
    tabs[index] = await openTab(app, person);
  });
}

type Tab = { client: ConvexClient; answer(): Promise<{ projects: number }>; close(): Promise<void> };

async function openTab(app: RunningApp, person: Person): Promise<Tab> {
  const client = new ConvexClient(app.deployment.forBrowsers, { skipConvexDeploymentUrlCheck: true, logger: false, expectAuth: true });
  client.setAuth(async () => {
    const answer = await fetch(`${app.url}/api/auth/convex/token`, { headers: { Cookie: person.cookieHeader } });
    const { token } = await answer.json();
    return String(token);
  });
  const first = Promise.withResolvers<number>();
  client.onUpdate(api.projects.getProjects, {}, (projects) => first.resolve(projects.length), first.reject);
  const late = setTimeout(() => first.reject(new Error("no answer over the websocket")), WAIT_MS);
  const projects = await first.promise.finally(() => clearTimeout(late));
  return { client, answer: () => Promise.resolve({ projects }), close: () => client.close() };
}

async function page(app: RunningApp, person: Person, path: string): Promise<void> {
  const answer = await fetch(app.url + path, { headers: { Cookie: person.cookieHeader }, signal: AbortSignal.timeout(WAIT_MS) });
  await answer.arrayBuffer();
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}`);
}

async function upload(app: RunningApp, person: Person, designId: string, bytes: Buffer<ArrayBuffer>): Promise<string> {
  const headers = { Origin: app.url, Cookie: person.cookieHeader, "Tus-Resumable": "1.0.0" };
  const fields = { design: designId, filename: "picture.png", checksum: createHash("sha256").update(bytes).digest("hex") };
  const metadata = Object.entries(fields).map(([key, value]) => `${key} ${Buffer.from(value).toString("base64")}`);
  const created = await fetch(`${app.url}/uploads`, {
    method: "POST",
    headers: { ...headers, "Upload-Length": String(bytes.length), "Upload-Metadata": metadata.join(",") },
  });
  const path = created.headers.get("Location");
  if (path === null) throw new Error(`not created: ${created.status} ${await created.text()}`);
  const sent = await fetch(app.url + path, {
    method: "PATCH",
    headers: { ...headers, "Content-Type": "application/offset+octet-stream", "Upload-Offset": "0" },
    body: bytes,
  });
  if (sent.status !== 204) throw new Error(`not taken: ${sent.status} ${await sent.text()}`);
  const answer: { ok: boolean; imageId?: string } = await (await fetch(`${app.url}${path}/finish`, { method: "POST", headers })).json();
  if (!answer.ok || answer.imageId === undefined) throw new Error(`not finished: ${JSON.stringify(answer)}`);
  return answer.imageId;
}

let made: Promise<Buffer> | undefined;
let pictures = 0;

async function picture(): Promise<Buffer<ArrayBuffer>> {
  made ??= sharp({ create: { width: 400, height: 300, channels: 3, background: "#357" } })
    .jpeg()
    .toBuffer();
  const comment = Buffer.from(`picture ${pictures++} ${randomUUID()}`);
  const head = Buffer.from([0xff, 0xd8, 0xff, 0xfe, 0, comment.length + 2]);
  return Buffer.concat([head, comment, (await made).subarray(2)]);
}
