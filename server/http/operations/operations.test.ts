import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { afterEach, describe, expect, it } from "vitest";
import { createListener, type ListenerOptions } from "../listener.ts";
import { log } from "../../logging/log.ts";
import { createMetrics } from "./metrics.ts";
import { createReadiness } from "./readiness.ts";

log.level = "silent";

const running: Server[] = [];
afterEach(() => {
  for (const server of running.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function listen(server: Server): Promise<string> {
  running.push(server);
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  return `http://127.0.0.1:${address && typeof address === "object" ? address.port : 0}`;
}

const serve = (parts: Partial<ListenerOptions>) =>
  listen(
    createListener({
      fetch: async (request) => new Response(await request.text()),
      serveAsset: () => false,
      forward: null,
      origins: [],
      trustedProxyHops: 0,
      log,
      ...parts,
    }),
  );

describe("/readyz", () => {
  const ready = async (url: string) => {
    const answer = await fetch(`${url}/readyz`);
    return [answer.status, await answer.json()];
  };
  const answering = () =>
    listen(createServer((request, response) => response.writeHead(request.url === "/api/query_ts" ? 200 : 404).end()));

  const accepted = async () => {};

  it("is 200 while the deployment responds and the disk has space, 503 while stopping", async () => {
    const readiness = createReadiness({ deploymentUrl: await answering(), checkToken: accepted, dataDir: tmpdir(), room: 1 });
    const url = await serve({ operations: { readiness, metrics: null } });
    expect(await ready(url)).toEqual([200, { deployment: "ok", tokens: "ok", disk: "ok", server: "ok" }]);
    readiness.stop();
    expect(await ready(url)).toEqual([503, { deployment: "ok", tokens: "ok", disk: "ok", server: "stopping" }]);
  });

  it("stays 200 with a warning about backups", async () => {
    let warning: string | null = null;
    const options = { deploymentUrl: await answering(), checkToken: accepted, dataDir: tmpdir(), room: 1, backupWarning: () => warning };
    const others = { deployment: "ok", tokens: "ok", disk: "ok", server: "ok" };
    const answer = async () => ready(await serve({ operations: { readiness: createReadiness(options), metrics: null } }));
    expect(await answer()).toEqual([200, { ...others, backups: "ok" }]);
    warning = "the last backup failed";
    expect(await answer()).toEqual([200, { ...others, backups: "warning: the last backup failed" }]);
  });

  it("names the problem", async () => {
    const deploymentUrl = "http://127.0.0.1:1";
    const readiness = createReadiness({ deploymentUrl, checkToken: accepted, dataDir: tmpdir(), room: Number.MAX_SAFE_INTEGER });
    const url = await serve({ operations: { readiness, metrics: null } });
    const parts = { deployment: "does not answer", tokens: "not checked", disk: "has too little free space", server: "ok" };
    expect(await ready(url)).toEqual([503, parts]);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  });

  it("is 503 when the embedded deployment's data is damaged", async () => {
    let damaged = false;
    const deploymentUrl = await listen(
      createServer((request, response) => {
        const isAsked = request.url === "/api/health" && request.headers.authorization === "Convex key";
        response.writeHead(isAsked ? 200 : 403).end(JSON.stringify({ damaged }));
      }),
    );
    const options = { deploymentUrl, checkToken: accepted, dataDir: tmpdir(), room: 1 };
    const serveReadiness = (adminKey: string) =>
      serve({ operations: { readiness: createReadiness({ ...options, adminKey }), metrics: null } });
    expect(await ready(await serveReadiness("key"))).toEqual([200, { deployment: "ok", tokens: "ok", disk: "ok", server: "ok" }]);
    damaged = true;
    const deployment = "has damaged data and writes nothing";
    expect(await ready(await serveReadiness("key"))).toEqual([503, { deployment, tokens: "ok", disk: "ok", server: "ok" }]);
    expect(await ready(await serveReadiness("other"))).toMatchObject([503, { deployment: "answers 403" }]);
  });

  it("warns when files cannot be moved to their bucket", async () => {
    const fileBucket = {
      location: "s3://bucket/files",
      movesBack: false,
      waitingFiles: 3,
      cachedFiles: 0,
      cachedBytes: 0,
      cacheLimitBytes: 1,
      problem: "it is full" as string | null,
    };
    const deploymentUrl = await listen(
      createServer((_request, response) => void response.end(JSON.stringify({ damaged: false, fileBucket }))),
    );
    const options = { deploymentUrl, checkToken: accepted, dataDir: tmpdir(), room: 1, adminKey: "key" };
    const answer = async () => ready(await serve({ operations: { readiness: createReadiness(options), metrics: null } }));
    const others = { deployment: "ok", tokens: "ok", disk: "ok", server: "ok" };
    const files = "warning: files cannot be moved to or from s3://bucket/files, because it is full";
    expect(await answer()).toEqual([200, { ...others, files }]);
    fileBucket.problem = null;
    expect(await answer()).toEqual([200, { ...others, files: "ok" }]);
  });

  it("is 503 when the deployment does not accept the service token", async () => {
    const checkToken = () => Promise.reject(new Error("401"));
    const readiness = createReadiness({ deploymentUrl: await answering(), checkToken, dataDir: tmpdir(), room: 1 });
    const url = await serve({ operations: { readiness, metrics: null } });
    expect(await ready(url)).toEqual([503, { deployment: "ok", tokens: "are not accepted", disk: "ok", server: "ok" }]);
  });
});

describe("/metrics", () => {
  const TOKEN = "0123456789abcdef0123456789abcdef";
  const opened = (settings: { token: string | null; onLoopback: boolean }) =>
    serve({
      operations: {
        readiness: null,
        metrics: createMetrics({
          ...settings,
          sources: [async () => "app_total 1", () => Promise.reject(new Error("down"))],
          connections: () => 3,
          websockets: () => 2,
          loop: { longest: () => 0.25, blocks: () => 4 },
          backups: { ageSeconds: () => Infinity, isProven: () => true },
        }),
      },
    });
  const status = async (url: string, headers: Record<string, string> = {}) => (await fetch(`${url}/metrics`, { headers })).status;

  it("is disabled by default", { tags: "@disabled-default" }, async () => {
    expect(await status(await opened({ token: null, onLoopback: false }), { Authorization: "Bearer null" })).toBe(404);
  });

  it("requires the token", async () => {
    const url = await opened({ token: TOKEN, onLoopback: false });
    expect(await status(url)).toBe(404);
    expect(await status(url, { Authorization: "Bearer " })).toBe(404);
    expect(await status(url, { Authorization: `Bearer ${TOKEN.replace("0", "1")}` })).toBe(404);
    expect(await status(url, { Authorization: `Bearer ${TOKEN}` })).toBe(200);
  });

  it("allows local programs, but not requests through a local proxy", async () => {
    const url = await opened({ token: null, onLoopback: true });
    expect(await status(url)).toBe(200);
    for (const name of ["X-Forwarded-For", "X-Forwarded-Host", "Forwarded", "Via"])
      expect(await status(url, { [name]: "x" }), name).toBe(404);
  });

  it("has the metrics of all sources, even if one of them fails", async () => {
    const answer = await fetch(`${await opened({ token: null, onLoopback: true })}/metrics`);
    expect(answer.headers.get("Content-Type")).toContain("text/plain; version=0.0.4");
    const text = await answer.text();
    for (const line of [
      "app_total 1",
      "atelier_connections 3",
      "atelier_websockets 2",
      "atelier_event_loop_longest_block_seconds 0.25",
      "atelier_backup_age_seconds +Inf",
      "atelier_backup_proven 1",
      "process_resident_memory_bytes ",
    ])
      expect(text).toContain(line);
  });
});

describe("limits", () => {
  async function talk(url: string, lines: string): Promise<string> {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.on("error", () => {});
    const chunks: Buffer[] = [];
    socket.on("data", (chunk: Buffer) => chunks.push(chunk));
    socket.write(lines);
    await new Promise((resolve) => socket.once("close", resolve));
    return Buffer.concat(chunks).toString("latin1");
  }

  it("closes a connection with slow headers", async () => {
    const url = await serve({ limits: { headersTimeout: 100 } });
    expect(await talk(url, "GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")).toMatch(/^HTTP\/1\.1 408 |^$/);
  });

  it("closes the connection of a form with a slow body", async () => {
    const url = await serve({ limits: { bodyTimeout: 100 } });
    expect(await talk(url, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nname=")).toMatch(/^HTTP\/1\.1 408 /);
  });

  it("accepts files of several megabytes over the HTTP API, but no such text", async () => {
    const url = await serve({ fetch: async (request) => new Response(String((await request.arrayBuffer()).byteLength)) });
    const send = async (type: string) => {
      const body = new Uint8Array(3_000_000);
      const answer = await fetch(`${url}/api/v1/designs/x/images`, { method: "POST", headers: { "Content-Type": type }, body });
      return [answer.status, await answer.text()];
    };
    expect(await send("multipart/form-data; boundary=x")).toEqual([200, "3000000"]);
    expect((await send("application/json"))[0]).toBe(413);
  });

  it.each(["/share", "/projects", "/api/v1/designs/x/images"])("does not limit the time of files sent to %s", async (path) => {
    const url = await serve({ limits: { bodyTimeout: 100 } });
    const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: multipart/form-data; boundary=x\r\n`;
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    let heard = "";
    socket.setEncoding("utf8").on("data", (text: string) => (heard += text));
    const closed = once(socket, "close");
    socket.write(`${head}Content-Length: 4\r\n\r\n12`);
    await talk(url, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nname=");
    socket.write("34");
    await closed;
    expect(heard).toMatch(/^HTTP\/1\.1 200 /);
  });

  it("rejects a body without a length before reading it", { tags: "@rejects-body-without-length-before-reading" }, async () => {
    const url = await serve({});
    const head = "POST / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n";
    expect(await talk(url, `${head}1\r\nx\r\n0\r\n\r\n`)).toMatch(/^HTTP\/1\.1 411 /);
  });

  it("rejects requests above the limit with Retry-After", { tags: "@rejects-requests-above-limit-retry-after" }, async () => {
    const finish = Promise.withResolvers<void>();
    let inside = 0;
    const url = await serve({
      limits: { inFlight: 2 },
      fetch: async () => {
        inside++;
        await finish.promise;
        return new Response("done");
      },
    });
    const first = [fetch(`${url}/`), fetch(`${url}/`)];
    await expect.poll(() => inside).toBe(2);
    const third = await fetch(`${url}/`);
    expect([third.status, third.headers.get("Retry-After")]).toEqual([503, "5"]);
    finish.resolve();
    expect((await Promise.all(first)).map(({ status }) => status)).toEqual([200, 200]);
    // The server counts a response until its connection closes, which can be after the client has received it.
    await expect.poll(async () => (await fetch(`${url}/`)).status).toBe(200);
  });

  it("closes connections above the limit and continues to serve the others", async () => {
    const url = await serve({ limits: { connections: 50 } });
    const port = Number(new URL(url).port);
    const held: Socket[] = [];
    for (let n = 0; n < 50; n++) {
      const socket = connect(port, "127.0.0.1");
      held.push(socket);
      await once(socket, "connect");
    }
    const sendRequest = async (socket: Socket | undefined) => {
      if (!socket) return "";
      socket.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
      const [data] = await once(socket, "data");
      return String(data).slice(0, 15);
    };
    expect(await sendRequest(held.at(-1))).toBe("HTTP/1.1 200 OK");
    const more = await Promise.all(
      Array.from({ length: 500 }, () => talk(url, "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")),
    );
    expect(new Set(more)).toEqual(new Set([""]));
    expect(await sendRequest(held[0])).toBe("HTTP/1.1 200 OK");
    for (const socket of held) socket.destroy();
  });
});
