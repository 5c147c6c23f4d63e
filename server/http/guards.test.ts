import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { Server } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { DeploymentForwarder } from "./forwarding/forward.ts";
import { guardsFor, strictTransportSecurityOf } from "./guards.ts";
import { createListener, type ListenerOptions } from "./listener.ts";
import { log } from "../logging/log.ts";
import { createMetrics } from "./operations/metrics.ts";
import { createReadiness } from "./operations/readiness.ts";
import { loadAssets, type ServeAsset } from "./static-files.ts";

log.level = "silent";

const TOKEN = "x".repeat(32);
const ICON = "<svg/>";
const TAG = `"${createHash("sha256").update(ICON).digest("base64url").slice(0, 22)}"`;

let dir: string;
let serveAsset: ServeAsset;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "atelier-guards-"));
  await writeFile(join(dir, "favicon.svg"), ICON);
  serveAsset = await loadAssets(dir);
});
afterAll(() => rm(dir, { recursive: true }));

const running: Server[] = [];
afterEach(() => {
  for (const server of running.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(options: Partial<ListenerOptions> = {}): Promise<number> {
  const readiness = createReadiness({ deploymentUrl: "http://127.0.0.1:1", checkToken: async () => {}, dataDir: dir });
  const metrics = createMetrics({
    token: TOKEN,
    onLoopback: false,
    sources: [],
    connections: () => 0,
    websockets: () => 0,
    loop: { longest: () => 0, blocks: () => 0 },
  });
  const server = createListener({
    fetch: async () => new Response("Method Not Allowed\n", { status: 405 }),
    serveAsset,
    forward: new DeploymentForwarder("http://127.0.0.1:1", log),
    origins: [],
    trustedProxyHops: 0,
    operations: { readiness, metrics },
    log,
    ...options,
  });
  running.push(server);
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  return address && typeof address === "object" ? address.port : 0;
}

function dial(port: number) {
  const socket = connect(port, "127.0.0.1").setEncoding("latin1");
  const came = { text: "" };
  socket.on("data", (data) => (came.text += String(data)));
  socket.on("error", () => {});
  return { socket, came };
}

async function exchange(lines: string, options: Partial<ListenerOptions> = {}): Promise<string> {
  const { socket, came } = dial(await serve(options));
  socket.write(lines);
  await expect.poll(() => came.text).toContain("\r\n\r\n");
  socket.destroy();
  return came.text.split("\r\n\r\n", 1)[0] ?? "";
}

const get = (path: string, ...headers: string[]) => `GET ${path} HTTP/1.1\r\n${["Host: localhost", ...headers].join("\r\n")}\r\n\r\n`;
const post = (path: string, length: number, ...headers: string[]) =>
  `POST ${path} HTTP/1.1\r\n${["Host: localhost", `Content-Length: ${length}`, ...headers].join("\r\n")}\r\n\r\n`;
const upgrade = (path: string, ...headers: string[]) =>
  get(
    path,
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
    ...headers,
  );

const ANSWERS: [status: number, what: string, lines: string, options?: Partial<ListenerOptions>][] = [
  [200, "that it lives", get("/healthz")],
  [503, "that it is not ready", get("/readyz")],
  [404, "of figures that are closed", get("/metrics")],
  [200, "of figures that are open", get("/metrics", `Authorization: Bearer ${TOKEN}`)],
  [200, "a file of the build", get("/favicon.svg")],
  [304, "a file of the build that somebody has", get("/favicon.svg", `If-None-Match: ${TAG}`)],
  [404, "what is not there of the deployment", get("/convex/api/query")],
  [413, "too long a report", `${post("/convex/api/debug_event", 20_000)}${"x".repeat(20_000)}`],
  [503, "a report while the deployment is down", `${post("/convex/api/debug_event", 2)}{}`],
  [400, "an address that is none", get("//evil.example/")],
  [414, "an address without end", get(`/${"a".repeat(9000)}`)],
  [421, "a foreign name", "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n"],
  [421, "a name that would lead to another address", "GET / HTTP/1.1\r\nHost: localhost/api/auth/ok?\r\n\r\n"],
  [421, "a name with somebody's password", "GET / HTTP/1.1\r\nHost: me:secret@localhost\r\n\r\n"],
  [400, "two names", get("/", "Host: evil.example")],
  // Proxies must agree on where a request ends (RFC 9112, 6.3).
  [400, "two lengths", get("/", "Content-Length: 1", "Content-Length: 2")],
  [400, "two lengths in one", get("/", "Content-Length: 1, 1")],
  [400, "a length and pieces", get("/", "Content-Length: 1", "Transfer-Encoding: chunked")],
  [400, "pieces that are none at the end", get("/", "Transfer-Encoding: chunked, identity")],
  [400, "a header's name with a space", get("/", "Transfer-Encoding : chunked")],
  [400, "a header over two lines", get("/", "X: a", " b")],
  [405, "a method that is none", "PROPFIND / HTTP/1.1\r\nHost: localhost\r\n\r\n"],
  [405, "a method that gives a request back, cookies and all", "TRACE / HTTP/1.1\r\nHost: localhost\r\nCookie: a=b\r\n\r\n"],
  [411, "a body without a length", "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"],
  [413, "too large a body", post("/api/auth/ok", 2_000_000, "Content-Type: application/json")],
  [
    408,
    "a body that does not come",
    post("/", 10),
    { limits: { bodyTimeout: 50 }, fetch: async (request) => new Response(await request.text()) },
  ],
  [408, "headers that do not come", "GET / HTTP/1.1\r\nHost: local", { limits: { headersTimeout: 50 } }],
  [431, "headers without end", get("/", `X-Long: ${"a".repeat(17_000)}`)],
  [400, "what is no HTTP", "nonsense\r\n\r\n"],
  [500, "a fault outside the app", get("/"), { fetch: () => Promise.reject(new Error("no")) }],
  [503, "more requests than the limit", get("/"), { limits: { inFlight: 0 } }],
  [403, "a websocket from another site", upgrade("/convex/api/1.48.0/sync", "Origin: https://evil.example")],
  [404, "a websocket elsewhere", upgrade("/elsewhere")],
  [
    404,
    "an offer of another protocol than a websocket's, which is ignored",
    get("/convex/api/1.48.0/sync", "Connection: Upgrade", "Upgrade: h2c"),
  ],
];

describe("the server's own responses", () => {
  it.each(ANSWERS)(
    "%i: %s, cannot be framed, embedded, sniffed or run",
    { tags: "@can-neither-framed-embedded-sniffed-nor" },
    async (status, _what, lines, options) => {
      const head = await exchange(lines, options);
      expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
      expect(head).toMatch(/^content-security-policy: default-src 'none';.* frame-ancestors 'none'$/im);
      for (const line of [
        "cross-origin-opener-policy: same-origin",
        "cross-origin-resource-policy: same-origin",
        "referrer-policy: same-origin",
        "x-content-type-options: nosniff",
        "x-frame-options: DENY",
      ])
        expect(head.toLowerCase()).toContain(`\r\n${line.toLowerCase()}`);
      expect(head).not.toMatch(/strict-transport-security|x-powered-by|^server:/im);
      expect(status < 400 || /^cache-control: no-store$/im.test(head), "kept by a cache").toBe(true);
    },
  );

  it("send HSTS over https", { tags: "@send-hsts-over-https" }, async () => {
    for (const [status, , lines, options] of ANSWERS.filter(([status]) => status !== 421)) {
      const head = await exchange(lines, { ...options, origins: ["https://atelier.example"] });
      expect(head, `${status} ${lines.slice(0, 60)}`).toMatch(/^strict-transport-security: max-age=31536000; includeSubDomains$/im);
    }
  });

  it.each([
    [["https://atelier.example"], "max-age=31536000; includeSubDomains"],
    [["https://atelier.example", "http://nas:3000"], "max-age=31536000; includeSubDomains"],
    [["https://atelier.example", "http://nas.atelier.example:3000"], "max-age=31536000"],
    [["https://atelier.example", "http://atelier.example:3000"], "max-age=0"],
  ])("send HSTS unless APP_URL also names the host with http: %s", (origins, expected) => {
    expect(strictTransportSecurityOf(origins)["https://atelier.example"]).toBe(expected);
    for (const origin of origins.slice(1)) expect(guardsFor(origin, origins)).not.toHaveProperty("Strict-Transport-Security");
  });

  it.each([
    ["text/html; charset=utf-8", "private, no-store", "private, no-store, no-transform"],
    ["text/html", "no-transform", "no-transform"],
    ["application/json", "private, no-store", "private, no-store"],
  ])("keep proxies from changing HTML: %s, %s", async (type, cacheControl, expected) => {
    const head = await exchange(get("/"), {
      fetch: async () =>
        new Response("x".repeat(2000), {
          headers: {
            "Content-Type": type,
            "Cache-Control": cacheControl,
            "X-Content-Type-Options": "nosniff",
            "Content-Security-Policy": "sandbox",
          },
        }),
    });
    expect(head.match(/^cache-control: (.*)$/im)?.[1]).toBe(expected);
  });

  it.each([
    ["http://nas:3000", false],
    ["http://localhost:3000", true],
    ["https://atelier.example", true],
  ])("send COOP only in a secure context: %s", async (address, sent) => {
    const head = await exchange(get("/"), { origins: [address], fetch: async () => new Response("plain") });
    expect(/^cross-origin-opener-policy: same-origin$/im.test(head)).toBe(sent);
  });

  it("keep the app's own policy", async () => {
    const own = { "Content-Security-Policy": "sandbox", "X-Content-Type-Options": "nosniff" };
    const head = await exchange(get("/"), { fetch: async () => new Response("page", { headers: own }) });
    expect(head.match(/^content-security-policy: .*$/gim)).toEqual(["content-security-policy: sandbox"]);
  });

  it(
    "are not written into a started response: malformed data closes the connection",
    { tags: "@not-written-into-started-response-malformed" },
    async () => {
      const endless = new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode("begun")) });
      const { socket, came } = dial(await serve({ fetch: async () => new Response(endless) }));
      const closed = once(socket, "close");
      socket.write(get("/"));
      await expect.poll(() => came.text).toContain("begun");
      socket.write("nonsense\r\n\r\n");
      await closed;
      expect(came.text).toMatch(/^HTTP\/1\.1 200 /);
      expect(came.text).not.toContain("400");
    },
  );
});
