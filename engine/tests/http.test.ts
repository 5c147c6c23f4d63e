import { createHash } from "node:crypto";
import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { brotliCompressSync, constants } from "node:zlib";
import { ConvexHttpClient } from "convex/browser";
import { anyApi } from "convex/server";
import { ConvexError } from "convex/values";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { deployFixture, type Deployed } from "./deployed.ts";
import { ADMIN_KEY } from "./harness.ts";

let deployed: Deployed;
let url: string;
beforeAll(async () => {
  deployed = await deployFixture("http");
  ({ url } = deployed.deployment);
});
afterAll(() => deployed.end());

const messages = anyApi.messages!;
const files = anyApi.files!;
const client = () => new ConvexHttpClient(url, { logger: false });
const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(url + path, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });

describe("ConvexHttpClient", () => {
  it("queries, mutates and acts", async () => {
    const convex = client();
    const id = await convex.mutation(messages.send!, { channel: "http", body: "one" });
    expect(id).toMatch(/^[0-9a-z]{31,37}$/);
    expect(await convex.query(messages.list!, { channel: "http" })).toEqual([{ body: "one", author: null }]);
    expect(await convex.action(messages.relay!, { body: "two" })).toBe("relayed two");
  });

  it("queues mutations one at a time, unless told to skip the queue", async () => {
    const convex = client();
    const sent = Array.from({ length: 20 }, (_, i) => convex.mutation(messages.send!, { channel: "queue", body: `${i}` }));
    await Promise.all(sent);
    expect((await convex.query(messages.list!, { channel: "queue" })).map(({ body }: { body: string }) => Number(body))).toEqual([
      ...Array(20).keys(),
    ]);
    await Promise.all([1, 2, 3].map((i) => convex.mutation(messages.send!, { channel: "skip", body: `${i}` }, { skipQueue: true })));
    expect(await convex.query(messages.list!, { channel: "skip" })).toHaveLength(3);
  });

  it("reads at one timestamp with consistentQuery, whatever is written meanwhile", async () => {
    const convex = client();
    expect(await convex.consistentQuery(messages.list!, { channel: "snapshot" })).toEqual([]);
    await client().mutation(messages.send!, { channel: "snapshot", body: "later" });
    expect(await convex.consistentQuery(messages.list!, { channel: "snapshot" })).toEqual([]);
    expect(await client().consistentQuery(messages.list!, { channel: "snapshot" })).toHaveLength(1);
  });

  it("throws a ConvexError with its data, and nothing stays written", async () => {
    const error = await client()
      .mutation(messages.fail!, { code: "no" })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConvexError);
    expect(error).toMatchObject({ data: { code: "no" } });
    expect(await client().query(messages.list!, { channel: "failures" })).toEqual([]);
  });

  it("throws a plain error with its text", async () => {
    await expect(client().query(messages.crash!, {})).rejects.toThrow(/a plain error/);
    await expect(client().query(messages.list!, { channel: 7 })).rejects.toThrow(/ArgumentValidationError/);
    await expect(client().query(anyApi.no!.where!, {})).rejects.toThrow(/Could not find/);
  });

  it("tells failures in a development deployment's form, without the stack", async () => {
    const form = (said: string) => new RegExp(String.raw`^\[Request ID: [0-9a-f]{16}\] Server Error\n${said}$`);
    await expect(client().query(messages.crash!, {})).rejects.toThrow(form("Uncaught Error: a plain error"));
    await expect(client().mutation(messages.fail!, { code: "no" })).rejects.toThrow(form('Uncaught ConvexError: {"code":"no"}'));
    await expect(client().query(messages.list!, {})).rejects.toThrow(form("ArgumentValidationError: [^]*"));
    const asAdmin = await fetch(`${deployed.deployment.url}/api/query`, {
      method: "POST",
      headers: { Authorization: `Convex ${ADMIN_KEY}` },
      body: JSON.stringify({ path: "messages:crash", args: {} }),
    });
    const { errorMessage }: { errorMessage: string } = await asAdmin.json();
    expect(errorMessage).toMatch(form(String.raw`Uncaught Error: a plain error\n {4}at handler \(\S*messages\.ts:\d+:\d+\)[^]*`));
  });

  it("cannot reach internal functions, not even by their name", async () => {
    await expect(client().mutation(messages.remember!, { body: "x" })).rejects.toThrow(/Could not find public function/);
  });

  it("acts as the user whose token it has", async () => {
    const convex = client();
    convex.setAuth(await deployed.issuer.token("ada", { claims: { name: "Ada", sessionId: "s1" } }));
    expect(await convex.query(messages.whoAmI!, {})).toEqual({
      subject: "ada",
      issuer: "https://issuer.test",
      tokenIdentifier: "https://issuer.test|ada",
      name: "Ada",
      sessionId: "s1",
    });
    convex.clearAuth();
    expect(await convex.query(messages.whoAmI!, {})).toBeNull();
    convex.setAuth(await deployed.issuer.token("ada", { expiresIn: -10 }));
    await expect(convex.query(messages.whoAmI!, {})).rejects.toThrow(/Could not verify/);
  });
});

describe("the HTTP API", () => {
  it("answers in either format", async () => {
    expect(await (await post("/api/query", { path: "messages:list", args: { channel: "none" }, format: "json" })).json()).toEqual({
      status: "success",
      value: [],
      logLines: [],
    });
    const search = new URLSearchParams({ path: "messages:list", args: '{"channel":"none"}', format: "json" });
    expect(await (await fetch(`${url}/api/query?${search}`)).json()).toMatchObject({ status: "success", value: [] });
    expect(await (await post("/api/run/messages/list", { args: { channel: "none" } })).json()).toMatchObject({
      status: "success",
      value: [],
    });
  });

  it("answers a batch at one snapshot", async () => {
    const body = {
      queries: [
        { path: "messages:list", args: [{ channel: "none" }], format: "convex_encoded_json" },
        { path: "messages:crash", args: {} },
      ],
    };
    const { results } = await (await post("/api/query_batch", body)).json();
    expect(results).toMatchObject([{ status: "success", value: [] }, { status: "error" }]);
  });

  it.each<[string, string, unknown, Record<string, string>, number, string]>([
    ["a body that is no JSON", "/api/query", "{", {}, 400, "BadJsonBody"],
    ["a body that is no object", "/api/query", "[]", {}, 400, "BadJsonBody"],
    ["no path", "/api/query", {}, {}, 400, "BadRequest"],
    ["arguments that are no object", "/api/query", { path: "a:b", args: [1] }, {}, 400, "BadRequest"],
    ["an unknown format", "/api/query", { path: "a:b", args: {}, format: "xml" }, {}, 400, "BadRequest"],
    ["a timestamp that is none", "/api/query_at_ts", { path: "a:b", args: {}, ts: "x" }, {}, 400, "BadRequest"],
    [
      "a timestamp of long ago",
      "/api/query_at_ts",
      { path: "messages:list", args: {}, ts: "AQAAAAAAAAA=" },
      {},
      400,
      "SnapshotNotAvailable",
    ],
    ["an unknown path", "/api/nothing", {}, {}, 404, "NotFound"],
    ["a token that proves nothing", "/api/query", { path: "a:b" }, { Authorization: "Bearer x" }, 401, "Unauthenticated"],
    ["/api/function without the admin key", "/api/function", { path: "messages:list" }, {}, 403, "BadAdminKey"],
    ["a push without the admin key", "/api/deploy2/start_push", {}, {}, 401, "MissingAdminKey"],
    ["variables without the admin key", "/api/update_environment_variables", { changes: [] }, {}, 401, "MissingAdminKey"],
    ["a push with a wrong key", "/api/deploy2/start_push", {}, { Authorization: `Convex test|${"0".repeat(64)}` }, 403, "BadAdminKey"],
    [
      "a component",
      "/api/function",
      { path: "a:b", args: {}, componentPath: "other" },
      { Authorization: `Convex ${ADMIN_KEY}` },
      400,
      "ComponentsNotSupported",
    ],
    [
      "a module outside its folder",
      "/api/deploy2/start_push",
      { appDefinition: { changedModules: [{ path: "../x.js", source: "", environment: "isolate" }], unchangedModuleHashes: [] } },
      { Authorization: `Convex ${ADMIN_KEY}` },
      400,
      "BadRequest",
    ],
    [
      "a name that no variable may have",
      "/api/update_environment_variables",
      { changes: [{ name: "1 X", value: "" }] },
      { Authorization: `Convex ${ADMIN_KEY}` },
      400,
      "EnvironmentVariableNameInvalid",
    ],
  ])("refuses %s", async (_what, path, body, headers, status, code) => {
    const response = await post(path, body, headers);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ code, message: expect.any(String) });
  });

  it("refuses the wrong method, and reads no further than it must", async () => {
    expect((await fetch(`${url}/api/mutation`)).status).toBe(405);
    expect((await post("/api/query", "x".repeat(25 * 1024 * 1024))).status).toBe(413);
    // 300 MB of nothing in 300 bytes.
    const bomb = brotliCompressSync(Buffer.alloc(300 * 1024 * 1024), { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });
    const bombed = await fetch(`${url}/api/deploy2/start_push`, {
      method: "POST",
      body: bomb,
      headers: { Authorization: `Convex ${ADMIN_KEY}`, "Content-Encoding": "br" },
    });
    expect(bombed.status).toBe(413);
    expect((await post("/api/query", { path: "messages:list", args: { channel: "none" } })).status).toBe(200);
  });

  it("answers before a body that it does not want, and the answer arrives", async () => {
    for (let i = 0; i < 5; i += 1) {
      const body = Buffer.alloc(20 * 1024 * 1024, 32);
      expect((await fetch(`${url}/api/deploy2/start_push`, { method: "POST", body })).status).toBe(401);
      expect((await fetch(`${url}/api/storage/upload?token=x`, { method: "POST", body })).status).toBe(401);
    }
  });

  it("keeps a connection for the next request", async () => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    const request = "GET /version HTTP/1.1\r\nHost: x\r\n\r\n";
    let received = "";
    socket.on("data", (chunk) => (received += chunk.toString()));
    socket.write(request + request);
    await expect.poll(() => received.split("HTTP/1.1 200 OK").length - 1).toBe(2);
    socket.destroy();
  });

  it("answers cross-origin calls with the caller's origin and headers", async () => {
    const preflight = await fetch(`${url}/api/query`, {
      method: "OPTIONS",
      headers: {
        Origin: "http://app.test",
        "Access-Control-Request-Headers": "authorization, convex-client",
        "Access-Control-Request-Method": "POST",
      },
    });
    expect(preflight.status).toBe(200);
    expect(Object.fromEntries(preflight.headers)).toMatchObject({
      "access-control-allow-origin": "http://app.test",
      "access-control-allow-credentials": "true",
      "access-control-allow-headers": "authorization, convex-client",
      "access-control-max-age": "86400",
    });
    const refused = await post("/api/nothing", {}, { Origin: "http://app.test" });
    expect(refused.headers.get("access-control-allow-origin")).toBe("http://app.test");
  });

  it("takes the client's report of a long disconnect", async () => {
    expect((await post("/api/debug_event", { event: "LongWebsocketDisconnect" })).ok).toBe(true);
  });
});

describe("file storage", () => {
  const upload = async (body: BodyInit, headers: Record<string, string> = {}) =>
    fetch(await client().mutation(files.uploadUrl!, {}), { method: "POST", body, headers });

  it("gives back what was stored, whole and in ranges", async () => {
    const content = Buffer.from("0123456789");
    const digest = `sha-256=${createHash("sha256").update(content).digest("base64")}`;
    const { storageId } = await (await upload(content, { "Content-Type": "text/plain", Digest: digest })).json();
    const address: string = await client().query(files.url!, { id: storageId });
    const whole = await fetch(address);
    expect(await whole.text()).toBe("0123456789");
    expect(Object.fromEntries(whole.headers)).toMatchObject({
      "content-type": "text/plain",
      "x-content-type-options": "nosniff",
      "accept-ranges": "bytes",
      "content-length": "10",
      "cache-control": "private, max-age=2592000",
      digest,
    });
    const part = await fetch(address, { headers: { Range: "bytes=2-4" } });
    expect([part.status, part.headers.get("content-range"), await part.text()]).toEqual([206, "bytes 2-4/10", "234"]);
    const outside = await fetch(address, { headers: { Range: "bytes=10-" } });
    expect([outside.status, outside.headers.get("content-range")]).toEqual([416, "bytes */10"]);
    const head = await fetch(address, { method: "HEAD" });
    expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([200, "10", ""]);
    expect((await fetch(address, { headers: { "If-None-Match": whole.headers.get("etag") ?? "" } })).status).toBe(304);
  });

  it("stores an empty file", async () => {
    const { storageId } = await (await upload(new Uint8Array())).json();
    const response = await fetch(await client().query(files.url!, { id: storageId }));
    expect([response.status, await response.text()]).toEqual([200, ""]);
  });

  it("refuses a file that is not what its digest says", async () => {
    const digest = `sha-256=${createHash("sha256").update("other").digest("base64")}`;
    expect((await upload("this", { Digest: digest })).status).toBe(400);
  });

  it("refuses a token that is missing or foreign, and takes a good one again", async () => {
    for (const token of ["", "?token=", "?token=abc"])
      expect((await fetch(`${url}/api/storage/upload${token}`, { method: "POST", body: "x" })).status).toBe(401);
    const address: string = await client().mutation(files.uploadUrl!, {});
    const attempt = async () => (await fetch(address, { method: "POST", body: "x" })).json();
    expect((await attempt()).storageId).not.toBe((await attempt()).storageId);
  });

  it("keeps nothing of an upload that broke off", async () => {
    const target = new URL(await client().mutation(files.uploadUrl!, {}));
    await new Promise<void>((done) => {
      const request = httpRequest(target, { method: "POST", headers: { "Content-Length": 1_000_000 } });
      request.on("error", () => done());
      request.write(Buffer.alloc(1_000), () => setTimeout(() => request.destroy(), 50));
    });
    expect((await fetch(`${url}/version`)).status).toBe(200);
  });

  it("does not know foreign ids", async () => {
    for (const id of ["00000000-0000-4000-8000-000000000000", "..%2F..%2Fdata", "x"])
      expect((await fetch(`${url}/api/storage/${id}`)).status).toBe(404);
  });
});

describe("HTTP actions", () => {
  it("answer on the site port and below /http", async () => {
    for (const address of [`${deployed.deployment.siteUrl}/echo?x=1`, `${url}/http/echo?x=1`]) {
      const response = await fetch(address, {
        method: "POST",
        body: "hello",
        headers: { "X-Test": "seen", Origin: "http://app.test", Authorization: `Bearer ${await deployed.issuer.token("ada")}` },
      });
      expect(response.status).toBe(201);
      expect(response.headers.get("x-answer")).toBe("yes");
      expect(response.headers.get("access-control-allow-origin")).toBeNull();
      expect(await response.json()).toEqual({
        body: "hello",
        header: "seen",
        subject: "ada",
        url: `${deployed.deployment.siteUrl}/echo?x=1`,
      });
    }
  });

  it("say that there is none", async () => {
    expect((await fetch(`${deployed.deployment.siteUrl}/nothing`)).status).toBe(404);
  });
});
