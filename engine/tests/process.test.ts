import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ConvexClient, ConvexHttpClient } from "convex/browser";
import { anyApi } from "convex/server";
import { afterEach, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { pushFixture } from "./deployed.ts";
import { ADMIN_KEY, convex, createIssuer, removeFolder, startEngine, temporaryFolder, type EngineProcess } from "./harness.ts";

const MAIN = resolve(import.meta.dirname, "../src/main.ts");
const folders: string[] = [];
const engines: EngineProcess[] = [];
afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.stop("SIGKILL")));
  folders.splice(0).forEach(removeFolder);
});

const folder = (name: string) => {
  const path = temporaryFolder(name);
  folders.push(path);
  return path;
};
async function engine(...args: Parameters<typeof startEngine>) {
  const started = await startEngine(...args);
  engines.push(started);
  return started;
}

/** Runs the command line to its end. */
function main(args: string[], env: Record<string, string> = {}): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [MAIN, ...args], { env: { PATH: process.env.PATH, ...env } });
  const output = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk: Buffer) => (output.stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (output.stderr += chunk.toString()));
  return new Promise((done) => child.once("close", (code) => done({ code, ...output })));
}

describe("the command line of the deployment", () => {
  it.each([
    ["no folder", [], /--data is missing/],
    ["a flag that is none", ["--data", "x", "--nonsense"], /nonsense/],
    ["a port that is none", ["--data", "x", "--port", "http"], /--port must be a number/],
    ["a weak key", ["--data", "x", "--admin-key", "secret"], /256 bits/],
    ["an address that is none", ["--data", "x", "--url", "here"], /--url must be/],
  ])("refuses %s, without a stack", async (_what, args, message) => {
    const { code, stderr } = await main(args);
    expect(code).toBe(1);
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  it("explains itself", async () =>
    expect(await main(["--help"])).toMatchObject({ code: 0, stdout: expect.stringContaining("--site-port") }));

  it("says which port is in use", async () => {
    const taken = createServer();
    await new Promise<void>((done) => void taken.listen(0, "127.0.0.1", done));
    const address = taken.address();
    const port = typeof address === "object" && address ? address.port : 0;
    const { code, stderr } = await main(["--data", folder("taken"), "--port", String(port), "--site-port", "0"]);
    taken.close();
    expect(code).toBe(1);
    expect(stderr.trim()).toBe(`Port ${port} is in use: choose others with --port and --site-port.`);
  });

  it("refuses a folder that another process uses", async () => {
    const data = folder("shared");
    await engine(data, ADMIN_KEY);
    const { code, stderr } = await main(["--data", data, "--port", "0", "--site-port", "0"]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/in use|another process/i);
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  it("makes a key once, keeps it, and tells it", async () => {
    const data = folder("key");
    const keyOf = async () => {
      const child = spawn(process.execPath, [MAIN, "--data", data, "--port", "0", "--site-port", "0"]);
      const line = await new Promise<string>((done) => child.stdout.once("data", (chunk: Buffer) => done(chunk.toString())));
      child.kill("SIGTERM");
      await new Promise((done) => child.once("exit", done));
      return /admin key (\S+)/.exec(line)?.[1];
    };
    const first = await keyOf();
    expect(first).toMatch(/^local\|[0-9a-f]{64}$/);
    expect(await keyOf()).toBe(first);
  });

  it("ends cleanly on SIGTERM, and with the process that started it", async () => {
    const data = folder("end");
    const first = await engine(data, ADMIN_KEY);
    const client = new ConvexClient(first.url, {
      webSocketConstructor: WebSocket as unknown as typeof globalThis.WebSocket,
      logger: false,
    });
    client.onUpdate(
      anyApi.no!.thing!,
      {},
      () => undefined,
      () => undefined,
    );
    await sleep(200);
    expect(await first.stop("SIGTERM")).toBe(0);
    await client.close();
    const second = await engine(data, ADMIN_KEY);
    const ended = new Promise((done) => second.child.once("exit", done));
    second.child.disconnect();
    expect(await ended).toBe(0);
  });
});

describe("SIGKILL under load", () => {
  it("loses no acknowledged mutation and applies none twice", async () => {
    const data = folder("kill");
    let running = await engine(data, ADMIN_KEY);
    folders.push(await pushFixture(running, await createIssuer()));
    const ports = { port: Number(new URL(running.url).port), sitePort: Number(new URL(running.siteUrl).port) };
    const { url } = running;

    const acknowledged: string[] = [];
    const stopping = new AbortController();
    const clients = Array.from(
      { length: 4 },
      () =>
        new ConvexClient(url, {
          webSocketConstructor: WebSocket as unknown as typeof globalThis.WebSocket,
          logger: false,
          unsavedChangesWarning: false,
        }),
    );
    const overSockets = clients.map(async (client, c) => {
      for (let round = 0; !stopping.signal.aborted; round += 1) {
        await Promise.all(
          Array.from({ length: 8 }, async (_, i) => {
            const body = `ws ${c} ${round} ${i}`;
            await client.mutation(anyApi.messages!.send!, { channel: `load ${c}`, body });
            acknowledged.push(body);
          }),
        );
      }
    });
    const overHttp = (async () => {
      const client = new ConvexHttpClient(url, { logger: false });
      for (let i = 0; !stopping.signal.aborted; i += 1) {
        const body = `http ${i}`;
        const answered = await client.mutation(anyApi.messages!.send!, { channel: "load http", body }).then(
          () => true,
          () => false,
        );
        if (answered) acknowledged.push(body);
        else await sleep(20);
      }
    })();

    for (let kill = 0; kill < 3; kill += 1) {
      await sleep(700 + kill * 150);
      await running.stop("SIGKILL");
      running = await engine(data, ADMIN_KEY, ports);
    }
    await sleep(500);
    stopping.abort();
    await Promise.all([...overSockets, overHttp]);
    await Promise.all(clients.map((client) => client.close()));

    const rows = (await convex(folders.at(-1) ?? "", running, ["data", "messages", "--limit", "100000", "--format", "jsonLines"])).stdout
      .trim()
      .split("\n");
    const stored = rows.map((row) => /"body": "([^"]*)"/.exec(row)?.[1] ?? "");
    const counts = new Map<string, number>();
    for (const body of stored) counts.set(body, (counts.get(body) ?? 0) + 1);
    expect(acknowledged.length).toBeGreaterThan(100);
    expect(acknowledged.filter((body) => counts.get(body) !== 1)).toEqual([]);
    // Over HTTP a request whose answer was lost may have been applied; over websockets nothing may be that was not acknowledged.
    const known = new Set(acknowledged);
    expect(stored.filter((body) => body.startsWith("ws") && !known.has(body))).toEqual([]);
  }, 120_000);
});

/** On two idle cores this is ready within 300 ms; the processor's time is what a busy machine measures too. */
it.runIf(process.platform === "linux")("gets ready on an empty folder with little work, once its code has been compiled", async () => {
  await (await startEngine(folder("ready"), ADMIN_KEY)).stop();
  expect(processorMs(await engine(folder("ready"), ADMIN_KEY))).toBeLessThan(500);
});

/** User and system time (proc(5), fields 14 and 15, in hundredths of a second). */
function processorMs({ child }: EngineProcess): number {
  const fields = readFileSync(`/proc/${child.pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
