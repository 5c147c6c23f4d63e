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
import { connectMessage, openRawSocket } from "./raw-socket.ts";

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
  it("runs queries, mutations and actions", async () => {
    const convex = client();
    const id = await convex.mutation(messages.send!, { channel: "http", body: "one" });
    expect(id).toMatch(/^[0-9a-z]{31,37}$/);
    expect(await convex.query(messages.list!, { channel: "http" })).toEqual([{ body: "one", author: null }]);
    expect(await convex.action(messages.relay!, { body: "two" })).toBe("relayed two");
  });

  it("runs queued mutations one at a time, except with skipQueue", async () => {
    const convex = client();
    const sent = Array.from({ length: 20 }, (_, i) => convex.mutation(messages.send!, { channel: "queue", body: `${i}` }));
    await Promise.all(sent);
    expect((await convex.query(messages.list!, { channel: "queue" })).map(({ body }: { body: string }) => Number(body))).toEqual([
      ...Array(20).keys(),
    ]);
    await Promise.all([1, 2, 3].map((i) => convex.mutation(messages.send!, { channel: "skip", body: `${i}` }, { skipQueue: true })));
    expect(await convex.query(messages.list!, { channel: "skip" })).toHaveLength(3);
  });

  it("reads at one timestamp with consistentQuery during concurrent writes", async () => {
    const convex = client();
    expect(await convex.consistentQuery(messages.list!, { channel: "snapshot" })).toEqual([]);
    await client().mutation(messages.send!, { channel: "snapshot", body: "later" });
    expect(await convex.consistentQuery(messages.list!, { channel: "snapshot" })).toEqual([]);
    expect(await client().consistentQuery(messages.list!, { channel: "snapshot" })).toHaveLength(1);
  });

  it("throws a ConvexError with its data and stores nothing", { tags: "@throws-convex-error-data-stores-nothing" }, async () => {
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

  it("reports failures like a development deployment, without the stack", async () => {
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

  it("cannot call internal functions, even by name", async () => {
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
      "a component path that is not text",
      "/api/function",
      { path: "a:b", args: {}, componentPath: 7 },
      { Authorization: `Convex ${ADMIN_KEY}` },
      400,
      "BadRequest",
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
    [
      "a variable that the deployment sets",
      "/api/update_environment_variables",
      { changes: [{ name: "CONVEX_SITE_URL", value: "https://example.com" }] },
      { Authorization: `Convex ${ADMIN_KEY}` },
      400,
      "EnvironmentVariableReserved",
    ],
    [
      "a variable with which a module does not load",
      "/api/update_environment_variables",
      { changes: [{ name: "VERSION_FAULT", value: "broken" }] },
      { Authorization: `Convex ${ADMIN_KEY}` },
      400,
      "EnvironmentVariableInvalid",
    ],
  ])("refuses %s", async (_what, path, body, headers, status, code) => {
    const response = await post(path, body, headers);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ code, message: expect.any(String) });
  });

  it("rejects the wrong method and reads no more than needed", async () => {
    expect((await fetch(`${url}/api/mutation`)).status).toBe(405);
    expect((await post("/api/query", "x".repeat(25 * 1024 * 1024))).status).toBe(413);
    const bomb = brotliCompressSync(Buffer.alloc(300 * 1024 * 1024), { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });
    const bombed = await fetch(`${url}/api/deploy2/start_push`, {
      method: "POST",
      body: bomb,
      headers: { Authorization: `Convex ${ADMIN_KEY}`, "Content-Encoding": "br" },
    });
    expect(bombed.status).toBe(413);
    expect((await post("/api/query", { path: "messages:list", args: { channel: "none" } })).status).toBe(200);
  });

  it("answers before reading a rejected body, and the answer arrives", async () => {
    for (let i = 0; i < 5; i += 1) {
      const body = Buffer.alloc(20 * 1024 * 1024, 32);
      expect((await fetch(`${url}/api/deploy2/start_push`, { method: "POST", body })).status).toBe(401);
      expect((await fetch(`${url}/api/storage/upload?token=x`, { method: "POST", body })).status).toBe(401);
    }
  });

  it("reuses a connection for the next request", async () => {
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

  it("accepts the client's report of a long disconnect", async () => {
    expect((await post("/api/debug_event", { event: "LongWebsocketDisconnect" })).ok).toBe(true);
  });
});

describe("file storage", () => {
  const upload = async (body: BodyInit, headers: Record<string, string> = {}) =>
    fetch(await client().mutation(files.uploadUrl!, {}), { method: "POST", body, headers });

  it("returns stored files completely and in ranges", async () => {
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
    const address = await client().query(files.url!, { id: storageId });
    for (const range of [null, "bytes=0-"]) {
      const response = await fetch(address, { headers: range === null ? {} : { Range: range } });
      expect([response.status, await response.text()]).toEqual([200, ""]);
    }
  });

  it("rejects a file that does not match its digest", { tags: "@rejects-file-does-not-match-digest" }, async () => {
    const digest = `sha-256=${createHash("sha256").update("other").digest("base64")}`;
    expect((await upload("this", { Digest: digest })).status).toBe(400);
  });

  it("rejects a missing or foreign token and accepts a good one afterwards", async () => {
    for (const token of ["", "?token=", "?token=abc"])
      expect((await fetch(`${url}/api/storage/upload${token}`, { method: "POST", body: "x" })).status).toBe(401);
    const address: string = await client().mutation(files.uploadUrl!, {});
    const attempt = async () => (await fetch(address, { method: "POST", body: "x" })).json();
    expect((await attempt()).storageId).not.toBe((await attempt()).storageId);
  });

  it("stores nothing of an aborted upload", async () => {
    const target = new URL(await client().mutation(files.uploadUrl!, {}));
    await new Promise<void>((done) => {
      const request = httpRequest(target, { method: "POST", headers: { "Content-Length": 1_000_000 } });
      request.on("error", () => done());
      request.write(Buffer.alloc(1_000), () => setTimeout(() => request.destroy(), 50));
    });
    expect((await fetch(`${url}/version`)).status).toBe(200);
  });

  it("rejects foreign ids", async () => {
    for (const id of ["00000000-0000-4000-8000-000000000000", "..%2F..%2Fdata", "x"])
      expect((await fetch(`${url}/api/storage/${id}`)).status).toBe(404);
  });
});

describe("hostile requests", () => {
  const nested = `${"[".repeat(5_000)}${"]".repeat(5_000)}`;

  it.each(["query", "query_batch", "mutation", "action", "function", "run/messages/list"])(
    "reject deeply nested JSON to %s",
    async (path) => {
      const response = await post(`/api/${path}`, `{"path":"messages:list","format":"json","args":{"channel":${nested}}}`);
      expect([response.status, await response.json()]).toEqual([400, expect.objectContaining({ code: "BadJsonBody" })]);
    },
  );

  it("reject deeply nested JSON in an address", async () => {
    expect((await fetch(`${url}/api/query?path=messages:list&args=${nested}`)).status).toBe(400);
  });

  it("reject deeply nested JSON over a websocket", async () => {
    const socket = await openRawSocket(url);
    socket.send(connectMessage(), `{"type":"Mutation","requestId":1,"udfPath":"messages:send","args":[{"body":${nested}}]}`);
    expect(await socket.closed).toMatchObject({ code: 1008 });
    expect(socket.received).toEqual([{ type: "FatalError", error: expect.stringContaining("nested deeper") }]);
  });

  it("reject more than 1,000 queries at one snapshot", async () => {
    const queries = (length: number) => ({ queries: Array.from({ length }, () => ({ path: "no:function", format: "json", args: {} })) });
    expect((await post("/api/query_batch", queries(1_000))).status).toBe(200);
    expect((await post("/api/query_batch", queries(1_001))).status).toBe(400);
  });

  const answerTo = (address: string, request: string): Promise<string> => {
    const { hostname, port } = new URL(address);
    const socket = connect(Number(port), hostname).setEncoding("latin1");
    return new Promise((resolve, reject) => {
      let text = "";
      socket.on("data", (data: string) => (text += data)).once("close", () => resolve(text));
      socket.once("error", reject).write(`${request.replaceAll("\n", "\r\n")}\r\n\r\n`);
    });
  };

  it.each([
    ["an address that has no path", "GET http: HTTP/1.1\nHost: x\nConnection: close", 400],
    ["an unreadable address", "GET //[ HTTP/1.1\nHost: x\nConnection: close", 404],
    ["a method that no Request can have", "TRACE /echo HTTP/1.1\nHost: x\nConnection: close", 405],
    ["another method", "PROPFIND /echo HTTP/1.1\nHost: x\nConnection: close", 405],
  ])("are answered by the site: %s", async (_what, request, status) => {
    expect(await answerTo(deployed.deployment.siteUrl, request)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  });

  it("cannot change the host of an HTTP action's address", async () => {
    const request = "POST //evil.example/echo HTTP/1.1\nHost: x\nContent-Length: 0\nConnection: close";
    expect(await answerTo(deployed.deployment.siteUrl, request)).toMatch(/^HTTP\/1\.1 404 /);
  });

  it.each(["url", "siteUrl"] as const)("may offer HTTP/2, which is ignored: %s", async (address) => {
    const request =
      "GET /version HTTP/1.1\nHost: x\nConnection: Upgrade, HTTP2-Settings, close\nUpgrade: h2c\nHTTP2-Settings: AAMAAABkAAQAAP__";
    expect(await answerTo(deployed.deployment[address], request)).toMatch(
      address === "url" ? /^HTTP\/1\.1 200 / : /^HTTP\/1\.1 404 Not Found[\s\S]+No HttpAction/,
    );
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

  it("report a missing action", async () => {
    expect((await fetch(`${deployed.deployment.siteUrl}/nothing`)).status).toBe(404);
  });
});

it("leaves no listeners on a connection that polls the logs", async () => {
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => warnings.push(warning);
  process.on("warning", onWarning);
  for (let poll = 0; poll < 20; poll++) {
    const answer = await fetch(`${url}/api/stream_function_logs?cursor=0`, { headers: { Authorization: `Convex ${ADMIN_KEY}` } });
    expect(await answer.json()).toHaveProperty("entries");
  }
  process.off("warning", onWarning);
  expect(warnings).toEqual([]);
});
