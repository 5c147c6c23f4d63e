import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { log } from "../logging/log.ts";
import { VERSION } from "../version.ts";
import { artifactDigest, pushIfChanged, readPushed, type Target } from "./push.ts";

log.level = "silent";
const source = "export const one = 1;";
const ARTIFACT_TEXT = JSON.stringify({ appDefinition: { changedModules: [{ path: "one.js", source }] } });
const hash = createHash("sha256").update(source).digest("hex");

let dir: string;
let target: Target;
let pushes: number;
let deployment: { environment: Record<string, string>; hashes: { path: string; hash: string }[] };

function answer(path: string | undefined, body: string): unknown {
  if (path === "/api/get_config_hashes") return { moduleHashes: deployment.hashes };
  if (path === "/api/query")
    return { status: "success", value: Object.entries(deployment.environment).map(([name, value]) => ({ name, value })) };
  if (path === "/api/update_environment_variables")
    for (const { name, value } of JSON.parse(body).changes) deployment.environment[name] = value;
  if (path === "/api/deploy2/wait_for_schema") return { type: "complete" };
  if (path === "/api/deploy2/finish_push") {
    deployment.hashes = [{ path: "one.js", hash }];
    pushes += 1;
  }
  return { schemaChange: {} };
}

const server = createServer((request, response) => {
  void text(request).then((body) => response.end(JSON.stringify(answer(request.url, body))));
});

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "atelier-push-"));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  target = { url: `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`, adminKey: "test|00" };
});
afterAll(async () => {
  server.close();
  await rm(dir, { recursive: true });
});
beforeEach(async () => {
  deployment = { environment: {}, hashes: [] };
  await rm(join(dir, "pushed"), { force: true });
  await pushIfNeeded();
  pushes = 0;
});

const pushIfNeeded = () => pushIfChanged(target, ARTIFACT_TEXT, { AUTH_JWKS: "data:ours" }, dir, log);

it("pushes nothing to a deployment that has this code and environment", async () => {
  await pushIfNeeded();
  expect(pushes).toBe(0);
});

it.each<[string, () => void]>([
  ["other code", () => (deployment.hashes = [{ path: "one.js", hash: "0" }])],
  ["another value", () => (deployment.environment = { AUTH_JWKS: "data:theirs" })],
  ["no value", () => (deployment.environment = {})],
])("pushes to a deployment with %s", async (_what, replace) => {
  replace();
  await pushIfNeeded();
  expect([pushes, deployment]).toEqual([1, { environment: { AUTH_JWKS: "data:ours" }, hashes: [{ path: "one.js", hash }] }]);
});

it("pushes to data of an older version with only a hash, and stores its version", async () => {
  await writeFile(join(dir, "pushed"), hash);
  expect(await readPushed(dir)).toBeNull();
  await pushIfNeeded();
  expect(pushes).toBe(1);
  expect(await readPushed(dir)).toMatchObject({ artifact: artifactDigest(ARTIFACT_TEXT), version: VERSION });
});
