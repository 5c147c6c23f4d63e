import { once } from "node:events";
import { connect } from "node:net";
import { expect, type RunningApp, test } from "../../harness/test.ts";

async function raw(
  app: RunningApp,
  target: string,
  { upgrade = false, method = "GET", host = new URL(app.url).host } = {},
): Promise<string> {
  const socket = connect(Number(new URL(app.url).port), "127.0.0.1");
  const lines = [
    `${method} ${target} HTTP/1.1`,
    `Host: ${host}`,
    `Origin: ${app.url}`,
    ...(upgrade
      ? ["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=="]
      : ["Connection: close", "Content-Type: application/json", "Content-Length: 2"]),
  ];
  socket.write(`${lines.join("\r\n")}\r\n\r\n${upgrade ? "" : "{}"}`);
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  if (upgrade) await once(socket, "data");
  else await once(socket, "close");
  socket.destroy();
  return Buffer.concat(chunks).toString("latin1");
}

const statusOf = (answer: string) => Number(answer.split(" ", 2)[1]);

const SPELLINGS = [
  "//convex/api/query",
  "/convex//api/query",
  "/convex/../api/query",
  "/convex/./api/query",
  "/convex/%2e%2e/api/query",
  "/convex%2Fapi%2Fquery",
  "/convex/api%2Fquery",
  "/%63onvex/api/query",
  "/CONVEX/api/query",
  "/convex/api/debug_event/../query",
  "/convex/api/debug_event/%2e%2e/query",
  "/convex/api/debug_event%2F..%2Fquery",
  "/convex/api/debug_event;/../query",
  "/convex\\api\\query",
  "/convex/api/query%00",
  "/convex/api/query?x=/convex/api/debug_event",
  "/./convex/api/query",
  "/x/../convex/api/query",
  "http://127.0.0.1:3210/api/query",
  "/convex/api/1.48.0/sync",
];

test.describe("a deployment's route in another spelling", () => {
  for (const target of SPELLINGS) {
    for (const method of ["GET", "POST"]) {
      test(`${method} ${target}`, async ({ app }) => {
        const answer = await raw(app, target, { method });
        expect([400, 404, 405, 421]).toContain(statusOf(answer));
        expect(answer).not.toMatch(/"status":"(success|error)"|BadConvex|InvalidArgument|logLines/);
      });
    }
  }
});

test.describe("an upgrade", () => {
  for (const target of [
    "/",
    "/projects",
    "/convex",
    "/convex/",
    "/convex/api/sync",
    "/convex/api/query",
    "/convex/api/1.48.0/sync/",
    "/convex/api/1.48.0/sync?x=1",
    "/convex/api/1.48.0/../sync",
    "/convex/api/%2e%2e/sync",
    "/convex/api/../sync",
    "/convex/api/.well-known/sync",
    "/convex/api/../deploy2/sync",
    "/convex/api/a%2Fb/sync",
    "/convex/api/1.48.0/sync#x",
    "/convex/api/debug_event",
    "/api/1.48.0/sync",
    "//convex/api/1.48.0/sync",
  ]) {
    test(`is rejected at ${target}`, async ({ app }) => {
      expect([400, 404]).toContain(statusOf(await raw(app, target, { upgrade: true })));
    });
  }

  test("is accepted for the deployment's websocket at any version", async ({ app }) => {
    for (const version of ["1.27.0", "1.48.0", "9.9.9-beta.1"]) {
      expect(statusOf(await raw(app, `/convex/api/${version}/sync`, { upgrade: true })), version).toBe(101);
    }
  });

  test("is rejected under a foreign host name", { tag: "@under-foreign-host-name-rejected" }, async ({ app }) => {
    expect(statusOf(await raw(app, "/convex/api/1.48.0/sync", { upgrade: true, host: "evil.example" }))).toBe(421);
  });
});

test("rejects a report that is too large, and returns no content", async ({ app }) => {
  const post = (body: string, method = "POST") =>
    fetch(`${app.url}/convex/api/debug_event`, {
      method,
      ...(method === "POST" && { body }),
      headers: { "Content-Type": "application/json" },
    });
  expect((await post("x".repeat(20_000))).status).toBe(413);
  expect((await post("", "GET")).status).toBe(404);
});
