import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, request as httpRequest, type IncomingMessage, type RequestOptions, type Server } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { precompress } from "../build/precompress.ts";
import { DeploymentForwarder } from "./forwarding/forward.ts";
import { createListener, type ListenerOptions } from "./listener.ts";
import { log } from "../logging/log.ts";
import { createMetrics } from "./operations/metrics.ts";
import { stoppable } from "../shutdown.ts";
import { loadAssets, type ServeAsset } from "./static-files.ts";

log.level = "silent";

const script = `console.log(${JSON.stringify("light".repeat(500))});`;
let dir: string;
let serveAsset: ServeAsset;
let deployment: Server;
let reached: { url?: string; headers: NodeJS.Dict<string | string[]> }[] = [];
let left: (string | undefined)[] = [];
let deploymentUrl: string;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "atelier-listener-"));
  await mkdir(join(dir, "assets"));
  await writeFile(join(dir, "assets/entry-abc123.js"), script);
  await writeFile(join(dir, "favicon.svg"), "<svg/>");
  await writeFile(join(dir, ".hidden"), "secret");
  await precompress(dir);
  serveAsset = await loadAssets(dir);

  deployment = createServer((request, response) => {
    reached.push({ url: request.url, headers: request.headers });
    request.resume().once("end", () => response.end("{}"));
  });
  const sockets = new WebSocketServer({ server: deployment });
  sockets.on("connection", (socket, request) => {
    reached.push({ url: request.url, headers: request.headers });
    socket.on("message", (message) => socket.send(message));
    if (request.url?.includes("unread")) socket.pause();
    socket.once("close", () => left.push(request.url));
  });
  deploymentUrl = await listen(deployment);
});
afterAll(async () => {
  deployment.closeAllConnections();
  deployment.close();
  await rm(dir, { recursive: true });
});

const running: Server[] = [];
afterEach(() => {
  reached = [];
  left = [];
  for (const server of running.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function listen(server: Server): Promise<string> {
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  return `http://127.0.0.1:${address && typeof address === "object" ? address.port : 0}`;
}

async function serve(options: Partial<ListenerOptions> = {}) {
  const forward = new DeploymentForwarder(deploymentUrl, log);
  const fetch: ListenerOptions["fetch"] = async (request, { clientAddress }) =>
    Response.json({ app: request.url, from: clientAddress, body: await request.text() });
  const server = createListener({ fetch, serveAsset, forward, origins: [], trustedProxyHops: 0, log, ...options });
  running.push(server);
  const close = vi.fn<() => Promise<void>>(async () => {});
  const stop = stoppable(server, { goAway: () => forward.goAway(), close }, log);
  return { stop, close, url: await listen(server) };
}

async function sendRequest(
  url: string,
  options: RequestOptions = {},
  body?: string,
): Promise<{ status?: number; headers: IncomingMessage["headers"]; text: string }> {
  const request = httpRequest(url, options).end(body);
  const [response]: IncomingMessage[] = await once(request, "response");
  if (!response) throw new Error("no answer");
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  return { status: response.statusCode, headers: response.headers, text: Buffer.concat(chunks).toString() };
}

describe("files of the build", () => {
  it("are cached permanently if their name has a hash", { tags: "@cached-permanently-if-name-has-hash" }, async () => {
    const { url } = await serve();
    const plain = await sendRequest(`${url}/assets/entry-abc123.js`);
    expect(plain.text).toBe(script);
    expect(plain.headers).toMatchObject({
      "content-type": "text/javascript; charset=utf-8",
      "cache-control": "public, max-age=31536000, immutable",
      "x-content-type-options": "nosniff",
      vary: "Accept-Encoding",
    });
    const [br, gzip] = await Promise.all(
      ["br", "gzip"].map((encoding) => sendRequest(`${url}/assets/entry-abc123.js`, { headers: { "Accept-Encoding": encoding } })),
    );
    expect(br?.headers["content-encoding"]).toBe("br");
    expect(gzip?.headers["content-encoding"]).toBe("gzip");
    expect(new Set([plain, br, gzip].map((answer) => answer?.headers.etag)).size).toBe(3);
    expect(Number(br?.headers["content-length"])).toBeLessThan(script.length / 5);
  });

  it("are not sent again for a matching ETag", async () => {
    const { url } = await serve();
    const { headers } = await sendRequest(`${url}/favicon.svg`);
    expect(headers["cache-control"]).toBe("public, max-age=3600");
    const again = await sendRequest(`${url}/favicon.svg`, { headers: { "If-None-Match": `"other", W/${headers.etag}` } });
    expect([again.status, again.text]).toEqual([304, ""]);
    const head = await sendRequest(`${url}/favicon.svg`, { method: "HEAD" });
    expect([head.status, head.headers["content-length"], head.text]).toEqual([200, "6", ""]);
  });

  it.each(["/.hidden", "/assets/../.hidden", "/assets/%2e%2e/.hidden", "/assets/", "/assets/entry-abc123.js.br", "/favicon.svg/"])(
    "do not include %s",
    { tags: "@do-not-include" },
    async (path) => {
      const { url } = await serve();
      const request = httpRequest(url, { path }).end();
      const [response]: IncomingMessage[] = await once(request, "response");
      expect(await response?.setEncoding("utf8").reduce((all, chunk) => all + chunk, "")).toMatch(/^\{"app":/);
    },
  );
});

describe("requests", () => {
  it("reach the app with their address", async () => {
    const { url } = await serve();
    expect(JSON.parse((await sendRequest(`${url}/projects?a=1`, { method: "POST" }, "name=x")).text)).toEqual({
      app: `${url}/projects?a=1`,
      from: "127.0.0.1",
      body: "name=x",
    });
    const named = await sendRequest(`${url}/`, { headers: { Host: "localhost:3000" } });
    expect(JSON.parse(named.text).app).toBe("http://localhost:3000/");
  });

  it("reach the app under APP_URL behind a TLS proxy", async () => {
    const { url } = await serve({ origins: ["https://atelier.example"], trustedProxyHops: 1 });
    const answer = await sendRequest(`${url}/projects`, {
      headers: { Host: "internal:3000", "X-Forwarded-For": "6.6.6.6, 203.0.113.7", "X-Forwarded-Host": "atelier.example" },
    });
    expect(JSON.parse(answer.text)).toMatchObject({ app: "https://atelier.example/projects", from: "203.0.113.7" });
  });

  const APP_URL = "https://atelier.example";
  it.each<[title: string, options: Partial<ListenerOptions>, headers: Record<string, string>, status: number]>([
    ["accepts loopback without APP_URL", {}, { Host: "app.localhost:3000" }, 200],
    ["rejects an unknown host without APP_URL", {}, { Host: "evil.example" }, 421],
    ["rejects a host that begins with localhost", {}, { Host: "localhost.evil.example:3000" }, 421],
    ["ignores a forwarded host without APP_URL", { trustedProxyHops: 1 }, { Host: "evil.example", "X-Forwarded-Host": "localhost" }, 421],
    ["accepts the host of APP_URL", { origins: [APP_URL] }, { Host: "Atelier.example" }, 200],
    ["accepts the host of APP_URL with a port", { origins: [APP_URL] }, { Host: "atelier.example:443" }, 200],
    ["accepts loopback with APP_URL", { origins: [APP_URL] }, { Host: "127.0.0.1:3000" }, 200],
    ["rejects an unknown host with APP_URL", { origins: [APP_URL] }, { Host: "evil.example" }, 421],
    ["rejects a subdomain of APP_URL's host", { origins: [APP_URL] }, { Host: "www.atelier.example" }, 421],
    [
      "ignores a forwarded host without proxies",
      { origins: [APP_URL] },
      { Host: "evil.example", "X-Forwarded-Host": "atelier.example" },
      421,
    ],
    ["rejects a host that a proxy rewrote", { origins: [APP_URL], trustedProxyHops: 1 }, { Host: "internal:3000" }, 421],
    [
      "accepts the host that a proxy forwards",
      { origins: [APP_URL], trustedProxyHops: 1 },
      { Host: "internal:3000", "X-Forwarded-Host": "atelier.example" },
      200,
    ],
    [
      "rejects an unknown host that a proxy forwards",
      { origins: [APP_URL], trustedProxyHops: 1 },
      { Host: "127.0.0.1:3000", "X-Forwarded-Host": "evil.example" },
      421,
    ],
    [
      "reads the entry of the outermost trusted proxy",
      { origins: [APP_URL], trustedProxyHops: 2 },
      { Host: "internal:3000", "X-Forwarded-Host": "evil.example, atelier.example, proxy.internal" },
      200,
    ],
    [
      "rejects a forged entry before those of trusted proxies",
      { origins: [APP_URL], trustedProxyHops: 1 },
      { Host: "internal:3000", "X-Forwarded-Host": "atelier.example, evil.example" },
      421,
    ],
  ])("%s", { tags: "@listener" }, async (_title, options, headers, status) => {
    const { url } = await serve(options);
    expect((await sendRequest(`${url}/projects`, { headers })).status).toBe(status);
  });

  const SEVERAL = ["https://atelier.example", "http://nas:3000", "https://nas", "http://nas"];
  const STRICT = "max-age=31536000; includeSubDomains";
  it.each<[host: string, headers: Record<string, string>, origin: string, strictTransportSecurity: string | undefined]>([
    ["atelier.example", {}, "https://atelier.example", STRICT],
    ["nas:3000", {}, "http://nas:3000", undefined],
    ["nas:3000", { "X-Forwarded-Proto": "https" }, "https://nas", "max-age=0"],
    ["nas", { "X-Forwarded-Proto": "https" }, "https://nas", "max-age=0"],
    ["nas", { "X-Forwarded-Proto": "http" }, "http://nas", undefined],
    ["nas", { "X-Forwarded-Proto": "http, https" }, "https://nas", "max-age=0"],
    ["internal:3000", { "X-Forwarded-Host": "nas:3000", "X-Forwarded-Proto": "http" }, "http://nas:3000", undefined],
    ["127.0.0.1:3000", {}, "https://atelier.example", STRICT],
  ])("belong to one of several origins: %s %o", async (host, headers, origin, strict) => {
    const { url } = await serve({ origins: SEVERAL, trustedProxyHops: 1 });
    const answer = await sendRequest(`${url}/projects`, { headers: { Host: host, ...headers } });
    expect(JSON.parse(answer.text).app).toBe(`${origin}/projects`);
    expect(answer.headers["strict-transport-security"]).toBe(strict);
    expect(
      (await sendRequest(`${url}/projects`, { headers: { ...headers, Host: "evil.example", "X-Forwarded-Host": "evil.example" } })).status,
    ).toBe(421);
  });

  const READY = { check: async () => ({ deployment: "ok", tokens: "ok", disk: "ok", server: "ok" }), stop() {} };
  const OPEN_METRICS = { mayRead: () => true, text: async () => "" };
  it.each([[], [APP_URL]])("answers operators under an unknown host with APP_URL %s", async (...origins) => {
    const { url } = await serve({ origins, operations: { readiness: READY, metrics: OPEN_METRICS } });
    const headers = { Host: "10.0.0.7:3000" };
    const paths = ["/healthz", "/readyz", "/metrics", "/healthz/", "/projects"];
    expect(await Promise.all(paths.map(async (path) => (await sendRequest(url + path, { headers })).status))).toEqual([
      200, 200, 200, 421, 421,
    ]);
  });

  it.each(["http://evil.example/", "//evil.example/", "*"])("are rejected for %s", async (path) => {
    const { url } = await serve();
    expect((await sendRequest(url, { path })).status).toBe(400);
  });

  it.each([
    ["/s/%zz?a=%zz", "/s/%25zz?a=%zz"],
    ["/s/%41%ff", "/s/%2541%25ff"],
    ["/s/a%0Ab", "/s/a%250Ab"],
    ["/s/%e2%80%a8", "/s/%25e2%2580%25a8"],
    ["/s/%41%C3%A9%25?%", "/s/%41%C3%A9%25?%"],
  ])("are escaped for %s if they cannot be decoded: %s", async (path, seen) => {
    const { url } = await serve();
    expect(JSON.parse((await sendRequest(url, { path })).text).app).toBe(url + seen);
  });

  it("are rejected with overlong addresses and headers", async () => {
    const { url } = await serve();
    expect((await sendRequest(`${url}/${"a".repeat(9000)}`)).status).toBe(414);
    expect((await sendRequest(url, { headers: { "X-Long": "a".repeat(17_000) } })).status).toBe(431);
  });

  it("get no internal details when they fail outside the app", { tags: "@fail-outside-app-get-no-internal" }, async () => {
    const spy = vi.spyOn(log, "error").mockImplementation(() => {});
    const { url } = await serve({ fetch: () => Promise.reject(new Error("connect ECONNREFUSED db:5432")) });
    const { status, text } = await sendRequest(url);
    expect([status, text]).toEqual([500, "Something went wrong.\n"]);
    expect(spy.mock.calls).toEqual([[{ error: expect.stringContaining("ECONNREFUSED db:5432") }, "a request failed outside the app"]]);
    spy.mockRestore();
  });

  it("are answered at /healthz while the app hangs", async () => {
    const { url } = await serve({ fetch: () => new Promise(() => {}) });
    expect(await sendRequest(`${url}/healthz`)).toMatchObject({ status: 200, text: "ok\n" });
  });
});

describe("the deployment's prefix", () => {
  const open = (url: string, options: ConstructorParameters<typeof WebSocket>[2] = {}) =>
    new WebSocket(url.replace(/^http/, "ws"), options);

  it("forwards the websocket with the client's address, without cookies", async () => {
    const { url } = await serve();
    const socket = open(`${url}/convex/api/1.27.0/sync`, {
      origin: url,
      headers: { Cookie: "session=x", "x-atelier-client-address": "192.0.2.1" },
    });
    await once(socket, "open");
    socket.send("hello");
    const [message] = await once(socket, "message");
    expect(String(message)).toBe("hello");
    expect(reached).toMatchObject([{ url: "/api/1.27.0/sync", headers: { "x-atelier-client-address": "127.0.0.1" } }]);
    expect(reached[0]?.headers).not.toHaveProperty("cookie");
    socket.terminate();
  });

  it("closes the deployment's socket with the browser's, also with unread data", async () => {
    const { url } = await serve();
    const socket = open(`${url}/convex/api/1.40.0/sync`, { origin: url });
    await once(socket, "open");
    const megabyte = "x".repeat(2 ** 20);
    for (let sent = 0; sent < 40; sent++) socket.send(megabyte);
    await once(socket, "message");
    socket.pause();
    socket.terminate();
    await expect.poll(() => left).toContain("/api/1.40.0/sync");
  });

  it.each([
    ["from another site", "/convex/api/1.48.0/sync", { origin: "https://evil.example" }, 403],
    ["from a page without an origin", "/convex/api/1.48.0/sync", { headers: { Origin: "null" } }, 403],
    ["under a foreign name", "/convex/api/1.48.0/sync", { headers: { Host: "evil.example" } }, 421],
    ["elsewhere", "/convex/api/sync", {}, 404],
    ["outside the prefix", "/api/1.48.0/sync", {}, 404],
    ["to a path that leads away", "/convex/api/../../api/1.48.0/sync", {}, 404],
  ])("rejects a websocket %s", { tags: "@rejects-websocket" }, async (_how, path, options, status) => {
    const { url } = await serve();
    const target = new URL(url);
    const request = httpRequest({
      host: target.hostname,
      port: target.port,
      path,
      headers: {
        Connection: "Upgrade",
        Upgrade: "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
        ...("origin" in options && { Origin: options.origin }),
        ...("headers" in options && options.headers),
      },
    }).end();
    const [response]: IncomingMessage[] = await once(request, "response");
    expect(response?.statusCode).toBe(status);
    response?.resume();
    expect(reached).toEqual([]);
  });

  it("forwards the websocket over HTTP, with the client's address and without cookies", async () => {
    const { url } = await serve();
    const stream = `${url}/convex/api/1.48.0/sync-stream`;
    const page = new AbortController();
    const headers = { Origin: url, Cookie: "session=x" };
    const { body } = await fetch(stream, { method: "POST", headers, signal: page.signal });
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
    const [session = ""] = /[\w-]{32}/.exec((await reader?.read())?.value ?? "") ?? [];
    const send = (id: string, text: string, origin = url) =>
      fetch(stream, { method: "POST", headers: { Origin: origin, "X-Sync-Session": id }, body: text }).then(({ status }) => status);
    expect(await send(session, "hello\nworld")).toBe(204);
    let text = "";
    while (!text.includes("world")) text += (await reader?.read())?.value ?? "";
    expect(text).toBe("data: hello\n\ndata: world\n\n");
    expect(reached).toMatchObject([{ url: "/api/1.48.0/sync", headers: { "x-atelier-client-address": "127.0.0.1" } }]);
    expect(reached[0]?.headers).not.toHaveProperty("cookie");

    expect(await send("another", "hello")).toBe(404);
    expect(await send(session, "hello", "https://evil.example")).toBe(403);
    expect((await fetch(stream, { method: "POST", headers: { Origin: "https://evil.example" } })).status).toBe(403);
    page.abort();
    await expect.poll(() => left).toEqual(["/api/1.48.0/sync"]);
    expect(await send(session, "hello")).toBe(404);
  });

  it.each([
    ["too many messages at once", "1.48.0", "\n".repeat(4000), 413],
    ["messages that the deployment does not read", "1.48.unread", "x".repeat(1_000_000), 503],
  ])("refuses %s over HTTP", async (_what, version, body, refusal) => {
    const { url } = await serve();
    const stream = `${url}/convex/api/${version}/sync-stream`;
    const { body: events } = await fetch(stream, { method: "POST", headers: { Origin: url } });
    const reader = events?.pipeThrough(new TextDecoderStream()).getReader();
    const [session = ""] = /[\w-]{32}/.exec((await reader?.read())?.value ?? "") ?? [];
    const statuses = new Set<number>();
    for (let sent = 0; sent < 40 && !statuses.has(refusal); sent += 1) {
      const answer = await fetch(stream, { method: "POST", headers: { Origin: url, "X-Sync-Session": session }, body });
      statuses.add(answer.status);
    }
    expect(statuses).toContain(refusal);
    await reader?.cancel();
  });

  it("ends streams over HTTP when it stops, and accepts 250 at a time", async () => {
    const forward = new DeploymentForwarder(deploymentUrl, log);
    const { url } = await serve({ forward });
    const open = () => fetch(`${url}/convex/api/1.48.0/sync-stream`, { method: "POST", headers: { Origin: url } });
    const streams = await Promise.all(Array.from({ length: 250 }, open));
    expect(forward.size).toBe(250);
    expect((await open()).status).toBe(503);
    forward.goAway();
    await Promise.all(streams.map((stream) => stream.text()));
    expect((await open()).status).toBe(404);
  });

  it("ends a stream of the address that has the most, at the limit of streams", async () => {
    const forward = new DeploymentForwarder(deploymentUrl, log);
    const { url } = await serve({ forward, trustedProxyHops: 1 });
    const open = (address: string) =>
      fetch(`${url}/convex/api/1.48.0/sync-stream`, { method: "POST", headers: { Origin: url, "X-Forwarded-For": address } });
    const streams = await Promise.all(Array.from({ length: 250 }, () => open("192.0.2.1")));
    expect((await open("192.0.2.1")).status).toBe(503);
    expect((await open("192.0.2.2")).status).toBe(200);
    const ended = await Promise.any(streams.map((stream) => stream.text().then(() => stream)));
    expect(streams).toContain(ended);
    expect(forward.size).toBe(250);
    forward.goAway();
  });

  it.each([
    ["http://nas:3000", 404],
    ["https://atelier.example", 403],
  ])("checks a websocket's origin against the requested one of several: %s", async (origin, status) => {
    const { url } = await serve({ origins: ["https://atelier.example", "http://nas:3000"] });
    const headers = { Connection: "Upgrade", Upgrade: "websocket", Host: "nas:3000", Origin: origin };
    expect((await sendRequest(`${url}/nowhere`, { headers })).status).toBe(status);
  });

  it("forwards only the report of a long disconnect", async () => {
    const { url } = await serve();
    const event = JSON.stringify({ event: "LongWebsocketDisconnect" });
    const response = await sendRequest(
      `${url}/convex/api/debug_event`,
      { method: "POST", headers: { Cookie: "session=x", Authorization: "Convex key" } },
      event,
    );
    expect(response.status).toBe(200);
    expect(reached[0]).toMatchObject({ url: "/api/debug_event", headers: { "content-type": "application/json" } });
    expect(reached[0]?.headers).not.toHaveProperty("cookie");
    expect(reached[0]?.headers).not.toHaveProperty("authorization");
    expect((await sendRequest(`${url}/convex/api/debug_event`, { method: "POST" }, "x".repeat(20_000))).status).toBe(413);
  });

  it.each([
    "/convex",
    "/convex/",
    "/convex/version",
    "/convex/api/query",
    "/convex/api/mutation",
    "/convex/api/function",
    "/convex/api/run/projects/getProjects",
    "/convex/api/query_ts",
    "/convex/api/deploy2/start_push",
    "/convex/api/update_environment_variables",
    "/convex/api/storage/upload?token=x",
    "/convex/api/storage/1",
    "/convex/api/1.48.0/sync",
    "/convex/http/x",
    "/convex/api/debug_event/",
    "/convex/api/debug_event/../query",
  ])("is closed at %s", async (path) => {
    const { url } = await serve();
    for (const method of ["GET", "POST"])
      expect((await sendRequest(url + path, { method, headers: { Authorization: "Convex key" } })).status).toBe(404);
    expect(reached).toEqual([]);
  });

  it("does not exist with a remote deployment", async () => {
    const { url } = await serve({ forward: null });
    expect((await sendRequest(`${url}/convex/api/debug_event`, { method: "POST" }, "{}")).status).toBe(404);
    const socket = open(`${url}/convex/api/1.48.0/sync`);
    const [error] = await once(socket, "error");
    expect(String(error)).toContain("404");
  });

  it(
    "answers 503 or closes the connection while the deployment is down",
    { tags: "@answers-503-closes-connection-while-deployment" },
    async () => {
      const gone = new DeploymentForwarder("http://127.0.0.1:1", log);
      const { url } = await serve({ forward: gone });
      const socket = open(`${url}/convex/api/1.48.0/sync`);
      await once(socket, "error");
      expect((await sendRequest(`${url}/convex/api/debug_event`, { method: "POST" }, "{}")).status).toBe(503);
    },
  );
});

describe("stopping", () => {
  it("finishes requests in flight, rejects new ones, and closes websockets with 1001", async () => {
    const begun = Promise.withResolvers<void>();
    const finish = Promise.withResolvers<void>();
    const { stop, close, url } = await serve({
      fetch: async () => {
        begun.resolve();
        await finish.promise;
        return new Response("done");
      },
    });
    const socket = new WebSocket(`${url.replace(/^http/, "ws")}/convex/api/1.48.0/sync`);
    await once(socket, "open");
    const idle = connect(Number(new URL(url).port), "127.0.0.1");
    await once(idle.resume(), "connect");
    const idleClosed = once(idle, "close");
    const inFlight = sendRequest(url, { agent: false });
    await begun.promise;

    const stopped = stop();
    const [code] = await once(socket, "close");
    expect(code).toBe(1001);
    await expect(sendRequest(url, { agent: false })).rejects.toThrow("ECONNREFUSED");
    await idleClosed;
    expect(close).not.toHaveBeenCalled();
    finish.resolve();
    expect((await inFlight).text).toBe("done");
    await stopped;
    expect(close).toHaveBeenCalledOnce();
  });
});

it("ignores an offer of HTTP/2, which curl and Java send", async () => {
  const { url } = await serve();
  const headers = { Connection: "Upgrade, HTTP2-Settings", Upgrade: "h2c", "HTTP2-Settings": "AAMAAABkAAQAAP__" };
  expect((await sendRequest(`${url}/projects`, { headers })).status).toBe(200);
});

it("derives a file's ETag from its content", async () => {
  const { url } = await serve();
  expect((await sendRequest(`${url}/favicon.svg`)).headers.etag).toBe(
    `"${createHash("sha256").update("<svg/>").digest("base64url").slice(0, 22)}"`,
  );
});

describe("addresses without a page (specification 2)", () => {
  it.each(["/convex", "/convex/", "/convex/api/query", "/metrics"])("answers 404 and 'Page not found' at %s", async (path) => {
    const metrics = createMetrics({
      token: null,
      onLoopback: false,
      sources: [],
      connections: () => 0,
      websockets: () => 0,
      loop: { longest: () => 0, blocks: () => 0 },
    });
    for (const forward of [null, new DeploymentForwarder(deploymentUrl, log)]) {
      const answer = await fetch(`${(await serve({ forward, operations: { readiness: null, metrics } })).url}${path}`);
      expect([answer.status, await answer.text()]).toEqual([404, "Page not found\n"]);
    }
    expect(reached).toEqual([]);
  });
});

describe("problems of a proxy", () => {
  const warnings = async (settings: Partial<ListenerOptions>, headers: Record<string, string>, path = "/") => {
    const spy = vi.spyOn(log, "warn").mockImplementation(() => {});
    const { url } = await serve(settings);
    for (let time = 0; time < 2; time++) await sendRequest(url + path, { headers });
    const texts = spy.mock.calls.map(([text]) => String(text));
    spy.mockRestore();
    return texts;
  };
  const https = { origins: ["https://atelier.example"], trustedProxyHops: 1 };
  const stripped = { "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==" };

  it.each([
    ["forwarded headers without TRUSTED_PROXY_HOPS", {}, { "X-Forwarded-For": "192.0.2.1" }, "/", "TRUSTED_PROXY_HOPS is 0"],
    ["a websocket without Upgrade", {}, stripped, "/convex/api/1.48.0/sync", "proxy_set_header Upgrade"],
    ["https in a page, http in APP_URL", {}, { Host: "localhost", Origin: "https://localhost" }, "/", "with https://, but APP_URL is not"],
    ["http forwarded, https in APP_URL", https, { Host: "atelier.example", "X-Forwarded-Proto": "http" }, "/", "APP_URL is https"],
  ])("are logged once: %s", async (_problem, settings, headers, path, text) => {
    expect(await warnings(settings, headers, path)).toEqual([expect.stringContaining(text)]);
  });

  it("are not logged behind a proxy that is configured", async () => {
    const headers = {
      Host: "atelier.example",
      Origin: "https://atelier.example",
      "X-Forwarded-For": "192.0.2.1",
      "X-Forwarded-Proto": "https",
    };
    expect(await warnings(https, headers)).toEqual([]);
  });
});

describe("requests that Node answers by itself by default", () => {
  it.each([
    ["without Host", { setHost: false }, "/projects", 400, "The Host header is missing.\n"],
    ["without Host at /healthz", { setHost: false }, "/healthz", 400, "The Host header is missing.\n"],
    [
      "with an unknown expectation",
      { headers: { Expect: "a miracle" } },
      "/projects",
      417,
      "Only the expectation 100-continue is supported.\n",
    ],
  ])("have the security headers: %s", async (_, options, path, status, text) => {
    const { url } = await serve();
    const answer = await sendRequest(`${url}${path}`, { agent: false, ...options });
    expect([answer.status, answer.text]).toEqual([status, text]);
    expect(answer.headers).toMatchObject({
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      connection: "close",
    });
    expect(answer.headers["content-security-policy"]).toContain("default-src 'none'");
  });
});
