import { randomBytes } from "node:crypto";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import * as z from "zod";
import { ALLOCATOR_SETTINGS } from "@atelier/engine/allocator";
import { type Embedded, type EmbeddedOptions, StartError, startEmbedded } from "./embedded.ts";
import { log } from "../logging/log.ts";

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

it("starts and stops", async () => {
  const embedded = await start();
  expect(await answers(embedded.url)).toBe(true);
  await embedded.close();
  expect(await answers(embedded.url)).toBe(false);
  expect(embedded.pid()).toBeNull();
});

it.each([
  [false, /^\[Request ID: [0-9a-f]{16}\] Server Error\nCould not find public function/],
  [true, /^\[Request ID: [0-9a-f]{16}\] Server Error$/],
])("shows messages of errors to clients unless errors are redacted (%s)", async (redactErrors, message) => {
  const embedded = await start({ redactErrors });
  const body = JSON.stringify({ path: "notes:list", args: [{}], format: "convex_encoded_json" });
  const headers = { "Content-Type": "application/json" };
  const answer = await fetch(`${embedded.url}/api/query`, { method: "POST", headers, body });
  expect(await answer.json()).toMatchObject({ status: "error", errorMessage: expect.stringMatching(message) });
});

it.each([
  [undefined, 404],
  [true, 200],
])("serves the dashboard only if it is switched on (%s)", async (dashboard, status) => {
  const embedded = await start(dashboard === undefined ? {} : { dashboard });
  const index = await fetch(`${embedded.url}/dashboard`);
  const text = await index.text();
  expect(text.includes("The dashboard is not built") ? 200 : index.status).toBe(status);
});

it("passes only the admin key of the server's secrets to the deployment", { tags: "@passes-only-admin-key" }, async () => {
  vi.stubEnv("BETTER_AUTH_SECRET", "s".repeat(32));
  const embedded = await start();
  vi.unstubAllEnvs();
  const variables = readFileSync(`/proc/${embedded.pid()}/environ`, "utf8").split("\0").filter(Boolean);
  const allowed = [
    ...Object.keys(ALLOCATOR_SETTINGS),
    "PATH",
    "TZ",
    "NODE_ENV",
    "CONVEX_ADMIN_KEY",
    "NODE_COMPILE_CACHE",
    "NODE_CHANNEL_FD",
    "NODE_CHANNEL_SERIALIZATION_MODE",
  ];
  expect(variables.map((pair) => pair.split("=")[0]).filter((name) => !allowed.includes(name ?? ""))).toEqual([]);
  expect(variables).toEqual(expect.arrayContaining(Object.entries(ALLOCATOR_SETTINGS).map((pair) => pair.join("="))));
});

it("npm run engine sets the allocator as the server does", () => {
  const { scripts } = z.object({ scripts: z.object({ engine: z.string() }) }).parse(JSON.parse(readFileSync("package.json", "utf8")));
  expect(scripts.engine).toBe([...Object.entries(ALLOCATOR_SETTINGS).map((pair) => pair.join("=")), "node engine/src/main.ts"].join(" "));
});

it("restarts on the same address after it was killed", async () => {
  const embedded = await start();
  const pid = embedded.pid() ?? 0;
  process.kill(pid, "SIGKILL");
  await vi.waitFor(() => expect(embedded.pid()).not.toBe(pid), 30_000);
  await vi.waitFor(async () => expect(await answers(embedded.url)).toBe(true), { timeout: 30_000, interval: 50 });
});

it("is killed and restarted when it hangs, once it is ready", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });
  try {
    const error = vi.spyOn(log, "error");
    const embedded = await start();
    const pid = embedded.pid() ?? 0;
    process.kill(pid, "SIGSTOP");
    vi.advanceTimersByTime(31_000);
    expect(error).toHaveBeenCalledWith({ deploymentPid: pid }, "the deployment has not responded for 30 s: restarting it");
    await vi.waitFor(async () => expect([embedded.pid() !== pid, await answers(embedded.url)]).toEqual([true, true]), {
      timeout: 30_000,
      interval: 50,
    });
  } finally {
    vi.useRealTimers();
  }
});

it("does not restart after it was stopped", async () => {
  const info = vi.spyOn(log, "info");
  const error = vi.spyOn(log, "error");
  const embedded = await start();
  const kill = async () => {
    error.mockClear();
    process.kill(embedded.pid() ?? 0, "SIGKILL");
    await vi.waitFor(() => expect(error).toHaveBeenCalledWith(expect.anything(), expect.stringContaining("exited unexpectedly")), 30_000);
  };
  await kill();
  await vi.waitFor(() => expect(info).toHaveBeenCalledWith(expect.anything(), "the deployment is running again"), 30_000);
  await kill();
  await embedded.close();
  expect(embedded.pid()).toBeNull();
});

it("uses another port and logs it when its own is taken", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const address = other.address();
  const port = address && typeof address === "object" ? address.port : 0;
  const warn = vi.spyOn(log, "warn");
  const embedded = await start({ port });
  expect(Number(new URL(embedded.url).port)).not.toBe(port);
  expect(warn).toHaveBeenCalledWith({ preferredPort: port }, expect.stringContaining("ENGINE_PORT"));
  other.close();
});

it("ends with its parent process, and the next one waits for the data", { tags: "slow" }, async () => {
  const script = `
    const { startEmbedded } = await import("./server/deployment/embedded.ts");
    const { log } = await import("./server/logging/log.ts");
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

it("reports why it cannot start", async () => {
  await expect(start({ adminKey: "short" })).rejects.toThrow(/did not start \(exit code 1\)[\s\S]*admin key must be/);
});

it("rejects data in use by another deployment without waiting", { tags: "slow" }, async () => {
  const first = await start();
  const warn = vi.spyOn(log, "warn");
  const second = await start().catch((error: unknown) => error);
  expect(second).toBeInstanceOf(StartError);
  expect(String(second)).toContain(`Another process is using the data in ${dir}. Only one process can use it: stop the other one first.`);
  expect(warn).not.toHaveBeenCalled();
  expect(await answers(first.url)).toBe(true);
  await first.close();
  expect(await answers((await start()).url)).toBe(true);
});
