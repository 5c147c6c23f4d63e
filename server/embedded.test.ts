import { randomBytes } from "node:crypto";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type Embedded, type EmbeddedOptions, NotStarted, startEmbedded } from "./embedded.ts";
import { log } from "./log.ts";

log.level = "silent";
const adminKey = `test|${randomBytes(32).toString("hex")}`;
let dir: string;
const started: Embedded[] = [];

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "atelier-embedded-"));
});
afterEach(async () => {
  await Promise.all(started.splice(0).map((embedded) => embedded.close()));
  await rm(dir, { recursive: true, maxRetries: 5 });
});

async function start(options: Partial<EmbeddedOptions> = {}): Promise<Embedded> {
  const embedded = await startEmbedded({ dir, port: 0, sitePort: 0, adminKey, log, ...options });
  started.push(embedded);
  return embedded;
}

const answers = (url: string) =>
  fetch(`${url}/version`).then(
    ({ ok }) => ok,
    () => false,
  );

it("starts, and stops when it is told to", async () => {
  const embedded = await start();
  expect(await answers(embedded.url)).toBe(true);
  await embedded.close();
  expect(await answers(embedded.url)).toBe(false);
  expect(embedded.pid()).toBeNull();
});

it("comes back on the same address after it was killed", async () => {
  const embedded = await start();
  const pid = embedded.pid() ?? 0;
  process.kill(pid, "SIGKILL");
  await vi.waitFor(() => expect(embedded.pid()).not.toBe(pid), 30_000);
  await vi.waitFor(async () => expect(await answers(embedded.url)).toBe(true), { timeout: 30_000, interval: 50 });
});

it("does not come back once it has been stopped", async () => {
  const embedded = await start();
  process.kill(embedded.pid() ?? 0, "SIGKILL");
  await embedded.close();
  await sleep(400);
  expect(embedded.pid()).toBeNull();
});

it("takes another port where its own is taken, and says so", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const address = other.address();
  const port = address && typeof address === "object" ? address.port : 0;
  const warn = vi.spyOn(log, "warn");
  const embedded = await start({ port });
  expect(Number(new URL(embedded.url).port)).not.toBe(port);
  expect(warn).toHaveBeenCalledWith({ wanted: port }, expect.stringContaining("ENGINE_PORT"));
  other.close();
});

it("ends with the process that started it, however that ended, and the next one waits for the data", async () => {
  const script = `
    const { startEmbedded } = await import("./server/embedded.ts");
    const { log } = await import("./server/log.ts");
    log.level = "silent";
    const [dir, adminKey] = process.argv.slice(1);
    const { url } = await startEmbedded({ dir, port: 0, sitePort: 0, adminKey, log });
    console.log(url);
  `;
  const parent = spawn(process.execPath, ["--input-type=module", "-e", script, dir, adminKey], { stdio: ["ignore", "pipe", "inherit"] });
  const [url] = await once(parent.stdout.setEncoding("utf8"), "data");
  parent.kill("SIGKILL");
  const embedded = await start();
  expect(await answers(String(url).trim())).toBe(false);
  expect(await answers(embedded.url)).toBe(true);
});

it("says what is wrong when it cannot start", async () => {
  await expect(start({ adminKey: "short" })).rejects.toThrow(/did not start \(exit code 1\)[\s\S]*admin key must be/);
});

it("refuses data that another one uses, which goes on", async () => {
  const first = await start();
  const second = await start({ predecessorTimeout: 0 }).catch((error: unknown) => error);
  expect(second).toBeInstanceOf(NotStarted);
  expect(String(second)).toContain(`Another process is using the data in ${dir}. Only one may at a time: stop it first.`);
  expect(await answers(first.url)).toBe(true);
});
