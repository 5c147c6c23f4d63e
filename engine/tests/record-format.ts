/** `node engine/tests/record-format.ts REPOSITORY FILE`: records the data that the engine in REPOSITORY writes, killed with an open log. */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { ConvexClient, ConvexHttpClient } from "convex/browser";
import { anyApi } from "convex/server";
import { WebSocket } from "ws";
import { bundleSources } from "../src/functions/bundles/bundle-fixture.ts";
import { pushBundle } from "./deployed.ts";
import { FORMAT_SOURCES, packRecord, readContents } from "./recorded-formats.ts";
import type * as harness from "./harness.ts";
import { ADMIN_KEY, removeFolder, temporaryFolder } from "./harness.ts";

const [repository = "", target = ""] = process.argv.slice(2);
const { startEngine }: Pick<typeof harness, "startEngine"> = await import(join(repository, "engine/tests/harness.ts"));

const dataDir = temporaryFolder("record");
const engine = await startEngine(dataDir, ADMIN_KEY);
const bundle = await bundleSources(FORMAT_SOURCES);
await pushBundle(engine, { ...bundle, modules: bundle.modules.map((module) => ({ ...module, sourceMap: undefined })) });
const { add, change, remove, schedule, uploadUrl } = anyApi["rows"] ?? {};
if (!add || !change || !remove || !schedule || !uploadUrl) throw new Error("A function is missing.");
const client = new ConvexHttpClient(engine.url, { logger: false });

const files: string[] = [];
for (const text of ["", "one small file", "0123456789".repeat(10_000)]) {
  const url: string = await client.mutation(uploadUrl, {});
  const response = await fetch(url, { method: "POST", headers: { "Content-Type": "text/plain" }, body: text });
  const { storageId }: { storageId: string } = await response.json();
  files.push(storageId);
}
const ids: string[] = [];
for (let n = 0; n < 40; n += 1) ids.push(await client.mutation(add, { n, file: files[n] ?? null }));
for (const id of ids.slice(10, 20)) await client.mutation(change, { id });
for (const id of ids.slice(20, 25)) await client.mutation(remove, { id });
await client.mutation(schedule, {});

const live = new ConvexClient(engine.url, { webSocketConstructor: WebSocket as unknown as typeof globalThis.WebSocket, logger: false });
const added = live.mutation(add, { n: 100, file: null });
const session: unknown = Reflect.get(live.client, "_sessionId");
await added;
const contents = await readContents(engine.url);
await engine.stop("SIGKILL");
await live.close();

const record = { contents, session: String(session), answer: JSON.stringify(await added) };
await writeFile(target, packRecord(record, await filesIn(dataDir)));
removeFolder(dataDir);

async function filesIn(dir: string): Promise<[path: string, bytes: Buffer][]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => relative(dir, join(entry.parentPath, entry.name)));
  const kept = paths.filter((path) => !/^(compiled|modules|uploads)\/|^(engine|deployment)\.(lock|url)|-shm$/.test(path));
  return Promise.all(kept.map(async (path): Promise<[string, Buffer]> => [path, await readFile(join(dir, path))]));
}
