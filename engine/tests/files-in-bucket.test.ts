import { createHash, randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ConvexHttpClient } from "convex/browser";
import { anyApi } from "convex/server";
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { type S3Server, startS3Server } from "../../tests/harness/services/s3.ts";
import { type FileBucketSettings, fileBucketVariables } from "../src/functions/files/bucket/bucket-settings.ts";
import { pushFixture } from "./deployed.ts";
import { ADMIN_KEY, createIssuer, type EngineProcess, removeFolder, startEngine, temporaryFolder } from "./harness.ts";

const files = anyApi["files"]!;
const dataDir = temporaryFolder("files-in-bucket");
let engine: EngineProcess;
let server: S3Server;
let project: string;

beforeAll(async () => {
  server = await startS3Server();
  await start();
  project = await pushFixture(engine, await createIssuer());
});
afterAll(async () => {
  await Promise.all([engine.stop("SIGKILL"), server.stop()]);
  for (const path of [dataDir, project]) removeFolder(path);
});
afterEach(() => server.fail());

async function start(changed: Partial<FileBucketSettings> = {}): Promise<void> {
  const location = `s3://${server.bucket}/files`;
  const settings = { location, s3: server.s3, cacheBytes: 0, movesBack: false, takesOver: false, ...changed };
  for (const [name, value] of Object.entries(fileBucketVariables(settings))) vi.stubEnv(name, value);
  engine = await startEngine(dataDir, ADMIN_KEY);
  vi.unstubAllEnvs();
}

const client = () => new ConvexHttpClient(engine.url, { logger: false });
async function upload(body: Uint8Array<ArrayBuffer>): Promise<string> {
  const answer = await fetch(await client().mutation(files["uploadUrl"]!, {}), { method: "POST", body });
  expect(answer.status).toBe(200);
  const { storageId }: { storageId: string } = await answer.json();
  return storageId;
}
async function get(id: string, headers: Record<string, string> = {}): Promise<Response> {
  const url = new URL(String(await client().query(files["url"]!, { id })));
  return fetch(engine.url + url.pathname, { headers });
}
const local = () => readdirSync(join(dataDir, "files"));
const isMoved = () => vi.waitFor(() => expect(local()).toEqual([]), { timeout: 240_000, interval: 200 });
const sha256 = (content: Uint8Array) => createHash("sha256").update(content).digest("hex");
async function inBucket(): Promise<string[]> {
  const { objects } = await server.command({ do: "list" });
  return objects.map(({ key }) => key).filter((key) => key.startsWith("files/files/"));
}

describe("a file in a bucket over HTTP", () => {
  it("has ranges, and is answered with 503 while the bucket returns wrong bytes", async () => {
    const content = randomBytes(200_000);
    const id = await upload(content);
    await isMoved();
    const whole = await get(id);
    expect([whole.status, sha256(await whole.bytes())]).toEqual([200, sha256(content)]);
    const range = await get(id, { Range: "bytes=1000-1999" });
    expect([range.status, range.headers.get("Content-Range")]).toEqual([206, "bytes 1000-1999/200000"]);
    expect(sha256(await range.bytes())).toBe(sha256(content.subarray(1000, 2000)));
    await get(await upload(randomBytes(10)));
    await isMoved();
    await server.fail({ kind: "wrong", on: "GET", key: "^files/files/" });
    await vi.waitFor(async () => {
      const refused = await get(id);
      expect([refused.status, await refused.json()]).toMatchObject([503, { code: "StoredFileUnavailable" }]);
    }, 30_000);
    const headers = { Authorization: `Convex ${ADMIN_KEY}` };
    const health = await fetch(`${engine.url}/api/health`, { headers });
    expect(await health.json()).toMatchObject({
      damaged: false,
      fileBucket: { location: `s3://${server.bucket}/files`, movesBack: false },
    });
    const metrics = async () => (await fetch(`${engine.url}/api/metrics`, { headers })).text();
    await vi.waitFor(async () => expect(await metrics()).toContain("\nconvex_files_waiting 0\n"), 30_000);
    await server.fail();
    expect(sha256(await (await get(id)).bytes())).toBe(sha256(content));
    expect(engine.errors()).not.toContain(server.s3.secretAccessKey);
  });

  it("is moved and read with bounded memory", { tags: "slow", timeout: 600_000 }, async () => {
    const content = randomBytes(200_000_000);
    const peak = watchMemory();
    const id = await upload(content);
    await isMoved();
    expect(sha256(await (await get(id)).bytes())).toBe(sha256(content));
    expect(peak()).toBeLessThan(150);
    expect(readdirSync(join(dataDir, "uploads"))).toEqual([]);
    await client().mutation(files["remove"]!, { id });
  });
});

describe("a move of files", () => {
  it("loses none when the process is killed at any moment", { tags: "slow", timeout: 600_000 }, async () => {
    const contents = new Map<string, string>();
    for (let each = 0; each < 20; each += 1) {
      const content = randomBytes(each % 5 === 0 ? 9_000_000 : 50_000);
      contents.set(await upload(content), sha256(content));
    }
    for (let kill = 0; kill < 30; kill += 1) {
      const movesBack = kill % 2 === 1;
      await engine.stop("SIGKILL");
      await start({ movesBack });
      await sleep(Math.random() * 600);
      const [id = ""] = [...contents.keys()].slice(kill % contents.size);
      expect(sha256(await (await get(id)).bytes())).toBe(contents.get(id));
    }
    for (const movesBack of [false, true]) {
      await engine.stop("SIGKILL");
      await start({ movesBack });
      const remaining = movesBack ? inBucket : async () => local();
      await vi.waitFor(async () => expect(await remaining()).toEqual([]), { timeout: 240_000, interval: 200 });
      for (const [id, sum] of contents) expect(sha256(await (await get(id)).bytes())).toBe(sum);
    }
  });
});

/** Returns a function that returns the largest increase of the resident memory of the engine, in MB. */
function watchMemory(): () => number {
  const rss = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${engine.child.pid}/status`, "utf8"))?.[1]) / 1000;
  const before = rss();
  let most = before;
  const timer = setInterval(() => void (most = Math.max(most, rss())), 20);
  onTestFinished(() => clearInterval(timer));
  return () => most - before;
}
