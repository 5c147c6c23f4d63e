/** Pushes unmodified published components with the official command line, and runs their main flow. `npm run test:components` runs it. */
import { createHmac } from "node:crypto";
import { cpSync, existsSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { ConvexClient, ConvexHttpClient } from "convex/browser";
import { makeFunctionReference } from "convex/server";
import { afterEach, expect, test } from "vitest";
import { startDeployment } from "../src/deployment.ts";
import { ADMIN_KEY, convex, removeFolder, temporaryFolder, type CliResult } from "../tests/harness.ts";

const PACKAGES = join(import.meta.dirname, "node_modules");
if (!existsSync(PACKAGES)) throw new Error("The packages are missing: run npm ci --prefix engine/conformance.");

type Arguments = Record<string, unknown>;
type App = {
  url: string;
  siteUrl: string;
  query: (path: string, args?: Arguments) => Promise<unknown>;
  mutation: (path: string, args?: Arguments) => Promise<unknown>;
};

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

async function deploy(name: string): Promise<App> {
  return (await deployProject(name)).app;
}

async function deployProject(name: string): Promise<{ app: App; cli: (...args: string[]) => Promise<CliResult> }> {
  const [dataDir, project] = [temporaryFolder("conformance-data"), temporaryFolder("conformance-app")];
  cpSync(join(import.meta.dirname, "apps", name), project, { recursive: true });
  cpSync(join(import.meta.dirname, "package.json"), join(project, "package.json"));
  symlinkSync(PACKAGES, join(project, "node_modules"));
  const deployment = await startDeployment({ dataDir, port: 0, sitePort: 0, adminKey: ADMIN_KEY });
  ends.push(async () => {
    await deployment.close();
    removeFolder(dataDir);
    removeFolder(project);
  });
  const pushed = await convex(project, deployment, ["dev", "--once", "--typecheck", "disable"]);
  expect(pushed, pushed.stderr).toMatchObject({ code: 0 });
  const client = new ConvexHttpClient(deployment.url, { logger: false });
  return {
    app: {
      url: deployment.url,
      siteUrl: deployment.siteUrl,
      query: (path, args = {}) => client.query(makeFunctionReference<"query">(path), args),
      mutation: (path, args = {}) => client.mutation(makeFunctionReference<"mutation">(path), args),
    },
    cli: (...args) => convex(project, deployment, args),
  };
}

test("@convex-dev/rate-limiter limits each mount separately", async () => {
  const { query, mutation } = await deploy("rate-limiter");
  const send = async (): Promise<unknown> => mutation("limits:send", { key: "a" });
  expect([await send(), await send(), await send()]).toEqual([true, true, false]);
  expect(await query("limits:check", { key: "a" })).toBe(false);
  expect(await mutation("limits:send", { key: "b" })).toBe(true);
  expect(await mutation("limits:sendElsewhere", { key: "a" })).toBe(true);
  expect([await mutation("limits:fill", { count: 3 }), await mutation("limits:fill", { count: 1 })]).toEqual([true, false]);
  await expect(mutation("limits:sendOrThrow", { key: "a" })).rejects.toMatchObject({ data: { kind: "RateLimited", name: "send" } });
  await mutation("limits:reset", { key: "a" });
  expect(await send()).toBe(true);
});

test("the command line shows and runs components, and pushes them again", async () => {
  const { app, cli } = await deployProject("rate-limiter");
  await app.mutation("limits:send", { key: "shown" });
  expect((await cli("data", "--component", "rateLimiter")).stdout).toContain("rateLimits");
  expect((await cli("data", "rateLimits", "--component", "rateLimiter")).stdout).toContain("shown");
  expect((await cli("data", "--component", "otherLimiter")).stdout).toContain("rateLimits");
  const args = JSON.stringify({ name: "send", key: "shown" });
  expect(await cli("run", "--component", "rateLimiter", "lib:resetRateLimit", args)).toMatchObject({ code: 0 });
  expect(await app.query("limits:check", { key: "shown" })).toBe(true);
  const missing = await cli("run", "--component", "rateLimiter", "lib:nothing");
  expect(missing.code).toBe(1);
  expect(missing.stderr).toContain("lib:resetRateLimit");
  const again = await cli("dev", "--once", "--typecheck", "disable");
  expect(again, again.stderr).toMatchObject({ code: 0 });
  expect(again.stderr).not.toContain("Installed component");
});

test("@convex-dev/aggregate counts, sums and ranks, also in a live query", async () => {
  const { url, query, mutation } = await deploy("aggregate");
  const scores = Array.from({ length: 100 }, (_, score) => score);
  await mutation("scores:add", { player: "ada", scores: scores.slice(0, 50) });
  const client = new ConvexClient(url);
  ends.push(() => client.close());
  const counts: number[] = [];
  client.onUpdate(makeFunctionReference<"query">("scores:totals"), { player: "ada" }, ({ count }) => void counts.push(count));
  await expect.poll(() => counts.at(-1)).toBe(50);
  await mutation("scores:add", { player: "eve", scores: scores.slice(50) });
  expect(await query("scores:totals", { player: "ada" })).toEqual({
    count: 100,
    sum: 4950,
    above50: 49,
    third: 2,
    rankOf70: 70,
    ofPlayer: 50,
    highest: 49,
  });
  await mutation("scores:removeLowest");
  await expect.poll(() => counts.at(-1)).toBe(99);
  expect(await query("scores:totals", { player: "ada" })).toMatchObject({ sum: 4950, third: 3, ofPlayer: 49 });
});

test("@convex-dev/workpool retries actions, limits mutations and cancels", async () => {
  const { query, mutation } = await deploy("workpool");
  const results = (name: string) => expect.poll(() => query("work:results", { name }));
  const id = await mutation("work:enqueue", { name: "good", failures: 2 });
  await mutation("work:enqueue", { name: "bad", failures: 9 });
  await mutation("work:enqueueMutations", { names: ["a", "b", "c"] });
  const later = await mutation("work:enqueueLater", { name: "later" });
  await results("good").toEqual([{ kind: "success", value: 3 }]);
  await results("bad").toMatchObject([{ kind: "failed", value: expect.stringContaining("attempt 4 failed") }]);
  for (const name of ["a", "b", "c"]) await results(name).toEqual([{ kind: "success", value: name }]);
  await mutation("work:cancel", { id: later });
  await results("later").toEqual([{ kind: "canceled", value: null }]);
  expect(await query("work:status", { id })).toBe("finished");
});

test("@convex-dev/workpool runs Node.js actions", async () => {
  const { query, mutation } = await deploy("workpool");
  await mutation("work:enqueueNodeAction", { name: "signed" });
  await expect.poll(() => query("work:results", { name: "signed" })).toEqual([{ kind: "success", value: '{"name":"signed"}' }]);
});

test("@convex-dev/workflow runs steps durably, retries and cancels them", async () => {
  const { query, mutation } = await deploy("workflow");
  const id = await mutation("flow:start", { name: "ada", flow: "greeting" });
  await expect.poll(() => query("flow:status", { id })).toEqual({ type: "completed", result: "hello ada left right" });
  const steps = (await query("flow:steps", { name: "ada" })) as string[];
  expect(steps.toSorted()).toEqual(["last", "left", "right", "right"]);
  expect(await mutation("flow:cleanup", { id })).toBe(true);
  const waiting = await mutation("flow:start", { name: "eve", flow: "waiting" });
  await expect.poll(() => query("flow:steps", { name: "eve" })).toEqual(["first"]);
  await mutation("flow:cancel", { id: waiting });
  await expect.poll(() => query("flow:status", { id: waiting })).toMatchObject({ type: "canceled" });
});

test("@convex-dev/action-retrier retries until an action succeeds or fails too often", async () => {
  const { query, mutation } = await deploy("action-retrier");
  const good = await mutation("retries:start", { name: "good", failures: 2 });
  const bad = await mutation("retries:start", { name: "bad", failures: 9 });
  await expect
    .poll(() => query("retries:status", { id: good }))
    .toMatchObject({ type: "completed", result: { type: "success", returnValue: 3 } });
  await expect.poll(() => query("retries:status", { id: bad })).toMatchObject({ type: "completed", result: { type: "failed" } });
});

test("@convex-dev/migrations migrates a table in batches", async () => {
  const { query, mutation } = await deploy("migrations");
  await mutation("migrations:fill", { count: 35 });
  await mutation("migrations:start");
  await expect.poll(() => query("migrations:status")).toEqual([{ state: "success", processed: 35 }]);
  expect(await query("migrations:initials")).toBe(35);
});

test("@convex-dev/sharded-counter counts exactly under concurrent writes", async () => {
  const { query, mutation } = await deploy("sharded-counter");
  await Promise.all(Array.from({ length: 50 }, () => mutation("counts:add", { key: "many", count: 2 })));
  await mutation("counts:add", { key: "other", count: 7 });
  expect(await query("counts:count", { key: "many" })).toBe(100);
  await mutation("counts:rebalance", { key: "many" });
  expect(await query("counts:count", { key: "many" })).toBe(100);
});

test("@convex-dev/presence shows who is online until they leave or stop", async () => {
  const { query, mutation } = await deploy("presence");
  const join = async (user: string, interval: number) =>
    (await mutation("rooms:heartbeat", { room: "r", user, session: `session of ${user}`, interval })) as {
      roomToken: string;
      sessionToken: string;
    };
  const { roomToken, sessionToken } = await join("ada", 10_000);
  await join("eve", 200);
  const list = () => query("rooms:list", { roomToken }) as Promise<{ userId: string; online: boolean }[]>;
  const online = async () => (await list()).filter((each) => each.online).map(({ userId }) => userId);
  expect((await online()).toSorted()).toEqual(["ada", "eve"]);
  await expect.poll(online).toEqual(["ada"]);
  await mutation("rooms:leave", { sessionToken });
  expect(await online()).toEqual([]);
});

test("@convex-dev/geospatial finds points in a rectangle", async () => {
  const { query, mutation } = await deploy("geospatial");
  const add = (key: string, latitude: number, longitude: number, kind: string) =>
    mutation("places:add", { key, coordinates: { latitude, longitude }, kind });
  await add("berlin", 52.52, 13.405, "city");
  await add("zugspitze", 47.42, 10.985, "mountain");
  await add("madrid", 40.417, -3.703, "city");
  const germany = { west: 5.9, south: 47.2, east: 15.1, north: 55.1 };
  expect(await query("places:within", germany)).toEqual(["berlin", "zugspitze"]);
  expect(await query("places:within", { ...germany, kind: "city" })).toEqual(["berlin"]);
  expect(await query("places:get", { key: "madrid" })).toMatchObject({ latitude: expect.closeTo(40.417) });
  expect(await mutation("places:remove", { key: "berlin" })).toBe(true);
  expect(await query("places:within", germany)).toEqual(["zugspitze"]);
});

test("@convex-dev/persistent-text-streaming streams a text and stores it", async () => {
  const { siteUrl, query, mutation } = await deploy("persistent-text-streaming");
  const id = await mutation("streams:create");
  expect(await query("streams:body", { id })).toEqual({ text: "", status: "pending" });
  const response = await fetch(`${siteUrl}/generate`, { method: "POST", body: JSON.stringify({ id }) });
  expect(await response.text()).toBe("One. Two. Three.");
  await expect.poll(() => query("streams:body", { id })).toEqual({ text: "One. Two. Three.", status: "done" });
});

test("@convex-dev/resend queues and cancels an email, and checks webhooks", async () => {
  const { siteUrl, query, mutation } = await deploy("resend");
  const id = await mutation("mails:send", { to: "delivered@resend.dev" });
  expect(["waiting", "queued"]).toContain(await query("mails:status", { id }));
  await expect(mutation("mails:send", { to: "someone@example.com" })).rejects.toThrow("not a valid resend test address");
  await mutation("mails:cancel", { id });
  await expect.poll(() => query("mails:status", { id })).toBe("cancelled");
  const body = JSON.stringify({ type: "email.delivered", created_at: new Date().toISOString(), data: { email_id: "unknown" } });
  const send = (signature: string, timestamp: string) =>
    fetch(`${siteUrl}/resend`, {
      method: "POST",
      body,
      headers: { "svix-id": "msg_1", "svix-timestamp": timestamp, "svix-signature": `v1,${signature}` },
    });
  const now = String(Math.floor(Date.now() / 1000));
  const signature = createHmac("sha256", Buffer.from("dGVzdC1zZWNyZXQ=", "base64")).update(`msg_1.${now}.${body}`).digest("base64");
  expect((await send("bm90IGl0", now)).status).toBe(500);
  expect((await send(signature, now)).status).toBeLessThan(300);
});
