import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { afterEach, describe, expect, it } from "vitest";
import { createListener, type Parts } from "./listener.ts";
import { log } from "./log.ts";
import { createMetrics } from "./metrics.ts";
import { createReadiness } from "./ready.ts";

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

const serve = (parts: Partial<Parts>) =>
  listen(
    createListener({
      fetch: async (request) => new Response(await request.text()),
      serveAsset: () => false,
      forward: null,
      appUrl: null,
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

  it("is 200 while the deployment answers and there is room, and 503 once it stops", async () => {
    const readiness = createReadiness({ deploymentUrl: await answering(), dataDir: tmpdir(), room: 1 });
    const url = await serve({ operations: { readiness, metrics: null } });
    expect(await ready(url)).toEqual([200, { deployment: "ok", disk: "ok", server: "ok" }]);
    readiness.stop();
    expect(await ready(url)).toEqual([503, { deployment: "ok", disk: "ok", server: "stopping" }]);
  });

  it("tells what is the matter", async () => {
    const readiness = createReadiness({ deploymentUrl: "http://127.0.0.1:1", dataDir: tmpdir(), room: Number.MAX_SAFE_INTEGER });
    const url = await serve({ operations: { readiness, metrics: null } });
    expect(await ready(url)).toEqual([503, { deployment: "does not answer", disk: "has too little room left", server: "ok" }]);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
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
        }),
      },
    });
  const status = async (url: string, headers: Record<string, string> = {}) => (await fetch(`${url}/metrics`, { headers })).status;

  it("is not there until a setting opens it", async () => {
    expect(await status(await opened({ token: null, onLoopback: false }), { Authorization: "Bearer null" })).toBe(404);
  });

  it("opens to the token alone", async () => {
    const url = await opened({ token: TOKEN, onLoopback: false });
    expect(await status(url)).toBe(404);
    expect(await status(url, { Authorization: "Bearer " })).toBe(404);
    expect(await status(url, { Authorization: `Bearer ${TOKEN.replace("0", "1")}` })).toBe(404);
    expect(await status(url, { Authorization: `Bearer ${TOKEN}` })).toBe(200);
  });

  it("opens to this machine's own programs, and not to who comes through its proxy", async () => {
    const url = await opened({ token: null, onLoopback: true });
    expect(await status(url)).toBe(200);
    for (const name of ["X-Forwarded-For", "X-Forwarded-Host", "Forwarded", "Via"])
      expect(await status(url, { [name]: "x" }), name).toBe(404);
  });

  it("has the process's figures and all others', even while one of them cannot be had", async () => {
    const answer = await fetch(`${await opened({ token: null, onLoopback: true })}/metrics`);
    expect(answer.headers.get("Content-Type")).toContain("text/plain; version=0.0.4");
    const text = await answer.text();
    for (const line of ["app_total 1", "atelier_connections 3", "atelier_websockets 2", "process_resident_memory_bytes "])
      expect(text).toContain(line);
  });
});

describe("limits", () => {
  /** Opens a connection and sends these lines; what came back when it was closed. */
  async function talk(url: string, lines: string): Promise<string> {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.on("error", () => {});
    const chunks: Buffer[] = [];
    socket.on("data", (chunk: Buffer) => chunks.push(chunk));
    socket.write(lines);
    await new Promise((resolve) => socket.once("close", resolve));
    return Buffer.concat(chunks).toString("latin1");
  }

  it("a connection whose headers drip in is closed", async () => {
    const url = await serve({ limits: { headersTimeout: 100 } });
    expect(await talk(url, "GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")).toMatch(/^HTTP\/1\.1 408 |^$/);
  });

  it("a form whose body drips in is closed", async () => {
    const url = await serve({ limits: { bodyTimeout: 100 } });
    expect(await talk(url, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nname=")).toMatch(/^HTTP\/1\.1 408 /);
  });

  it("a body without a length is refused before it is read", async () => {
    const url = await serve({});
    const head = "POST / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n";
    expect(await talk(url, `${head}1\r\nx\r\n0\r\n\r\n`)).toMatch(/^HTTP\/1\.1 411 /);
  });

  it("no more requests are worked on than there is room for; the others are told to come again", async () => {
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
    expect((await fetch(`${url}/`)).status).toBe(200);
  });

  it("no more connections are held than there is room for, and those that are there go on being served", async () => {
    const url = await serve({ limits: { connections: 50 } });
    const port = Number(new URL(url).port);
    const held: Socket[] = [];
    for (let n = 0; n < 50; n++) {
      const socket = connect(port, "127.0.0.1");
      held.push(socket);
      await once(socket, "connect");
    }
    const ask = async (socket: Socket | undefined) => {
      if (!socket) return "";
      socket.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
      const [data] = await once(socket, "data");
      return String(data).slice(0, 15);
    };
    // The last one is served, so all before it have been taken in.
    expect(await ask(held.at(-1))).toBe("HTTP/1.1 200 OK");
    const more = await Promise.all(
      Array.from({ length: 500 }, () => talk(url, "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")),
    );
    expect(new Set(more)).toEqual(new Set([""]));
    expect(await ask(held[0])).toBe("HTTP/1.1 200 OK");
    for (const socket of held) socket.destroy();
  });
});
