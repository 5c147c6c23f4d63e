import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import { startDeployment, type Deployment } from "@atelier/engine";
import { ADMIN_KEY, removeFolder, temporaryFolder } from "@atelier/engine/testing/harness";

let deployment: Deployment;
const dataDir = temporaryFolder("half-open");
beforeAll(async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] });
  deployment = await startDeployment({ dataDir, port: 0, sitePort: 0, adminKey: ADMIN_KEY });
});
afterEach(() => vi.useRealTimers());
afterAll(async () => {
  await deployment.close();
  removeFolder(dataDir);
});

it("closes a silent half-open connection after a minute", async () => {
  const { hostname, port } = new URL(deployment.url);
  const key = randomBytes(16).toString("base64");
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  socket.write(
    `GET /api/1.48.0/sync HTTP/1.1\r\nHost: ${hostname}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n\r\n`,
  );
  const [head]: Buffer[] = await once(socket, "data");
  const accept = createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
  expect(head?.toString()).toContain(`Sec-WebSocket-Accept: ${accept}`);
  let closed = false;
  const end = once(socket, "close");
  void end.then(() => (closed = true));
  const pings: Buffer[] = [];
  socket.on("data", (chunk) => pings.push(chunk));

  vi.advanceTimersByTime(59_000);
  await expect.poll(() => Buffer.concat(pings).includes('{"type":"Ping"}')).toBe(true);
  expect(closed).toBe(false);
  vi.advanceTimersByTime(30_000);
  await end;
});
