import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ConvexHttpClient } from "convex/browser";
import { anyApi } from "convex/server";
import { afterAll, beforeAll, expect, it } from "vitest";
import { saveAuthProviders } from "../src/functions/bundles/bundle.ts";
import { changeEnvironment } from "../src/functions/settings.ts";
import { openDatabase } from "../src/transaction/database.ts";
import { pushFixture } from "./deployed.ts";
import { ADMIN_KEY, convex, createIssuer, removeFolder, startEngine, temporaryFolder, type EngineProcess, type Issuer } from "./harness.ts";

const BAD = 'data:text/plain,{"keys":[],}';
const folders: string[] = [];
const data = temporaryFolder("auth-config");
let issuer: Issuer;
let project: string;
let engine: EngineProcess;

beforeAll(async () => {
  issuer = await createIssuer();
  engine = await startEngine(data, ADMIN_KEY);
  project = await pushFixture(engine, issuer);
  folders.push(data, project);
});
afterAll(async () => {
  await engine.stop("SIGKILL");
  folders.forEach(removeFolder);
});

async function restart(): Promise<void> {
  expect(await engine.stop()).toBe(0);
  engine = await startEngine(data, ADMIN_KEY);
}

async function works(auth?: string): Promise<boolean> {
  const client = new ConvexHttpClient(engine.url, { logger: false, ...(auth !== undefined && { auth }) });
  return client.query(anyApi["messages"]!["list"]!, { channel: "auth" }).then(
    () => true,
    () => false,
  );
}

it("rejects a bad value with a reason and keeps the previous one", { tags: "slow", timeout: 60_000 }, async () => {
  const { code, stderr } = await convex(project, engine, ["env", "set", "TEST_JWKS", BAD]);
  expect([code, stderr]).toEqual([1, expect.stringMatching(/cannot use this value: auth\.config: `jwks` is a data: URI without/)]);
  expect((await convex(project, engine, ["env", "get", "TEST_JWKS"])).stdout.trim()).toBe(issuer.jwks);
  expect(await works(await issuer.token("ada"))).toBe(true);
  await restart();
  expect(await works(await issuer.token("ada"))).toBe(true);
});

it("rejects a push with an unusable auth configuration", { tags: "slow", timeout: 60_000 }, async () => {
  const path = join(project, "convex/auth.config.ts");
  const before = readFileSync(path, "utf8");
  writeFileSync(path, before.replace("process.env.TEST_JWKS", JSON.stringify(BAD)));
  const { code, stderr } = await convex(project, engine, ["deploy", "--typecheck", "disable", "--codegen", "disable"]);
  writeFileSync(path, before);
  expect([code, stderr]).toEqual([1, expect.stringMatching(/auth\.config: `jwks` is a data: URI without/)]);
  await restart();
  expect(await works(await issuer.token("ada"))).toBe(true);
});

it("starts with an invalid stored value, rejects its tokens, accepts a good one", { timeout: 60_000 }, async () => {
  expect(await engine.stop()).toBe(0);
  const database = openDatabase(data);
  changeEnvironment(database.settings, [{ name: "TEST_JWKS", value: BAD }]);
  const provider = { type: "customJwt", applicationID: "fixture", issuer: "https://issuer.test", jwks: BAD, algorithm: "ES256" };
  saveAuthProviders(database.settings, [provider]);
  database.close();
  engine = await startEngine(data, ADMIN_KEY);
  expect(engine.errors()).toContain("A provider of auth.config cannot be used, so its tokens are refused.");
  expect([await works(), await works(await issuer.token("ada"))]).toEqual([true, false]);
  expect((await convex(project, engine, ["env", "set", "TEST_JWKS", issuer.jwks])).code).toBe(0);
  expect(await works(await issuer.token("ada"))).toBe(true);
});
