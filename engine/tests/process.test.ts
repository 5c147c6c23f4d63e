import { execFileSync, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { resolve } from "node:path";
import { ConvexClient } from "convex/browser";
import { anyApi } from "convex/server";
import { afterEach, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { readAddress } from "../src/backup/address.ts";
import { ADMIN_KEY, removeFolder, startEngine, temporaryFolder, type EngineProcess } from "./harness.ts";

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

  it("prints its help", async () =>
    expect(await main(["--help"])).toMatchObject({ code: 0, stdout: expect.stringContaining("--site-port") }));

  it("listens on its port when --url and --site-url name other addresses", async () => {
    const data = folder("behind-a-proxy");
    const addresses = ["--url", "https://convex.example", "--site-url", "https://site.example"];
    const child = spawn(process.execPath, [MAIN, "--data", data, "--port", "0", "--site-port", "0", ...addresses]);
    const line = await new Promise<string>((done) => child.stdout.once("data", (chunk: Buffer) => done(chunk.toString())));
    const answer = await fetch(`${await readAddress(data)}/version`);
    child.kill("SIGKILL");
    await new Promise((done) => child.once("exit", done));
    expect(line).toContain("Deployment ready at https://convex.example, HTTP actions at https://site.example");
    expect(answer.status).toBe(200);
  });

  it("names the port in use", async () => {
    const taken = createServer();
    await new Promise<void>((done) => void taken.listen(0, "127.0.0.1", done));
    const address = taken.address();
    const port = typeof address === "object" && address ? address.port : 0;
    const { code, stderr } = await main(["--data", folder("taken"), "--port", String(port), "--site-port", "0"]);
    taken.close();
    expect(code).toBe(1);
    expect(stderr.trim()).toBe(`Port ${port} is in use: choose others with --port and --site-port.`);
  });

  it("rejects a folder that another process uses", { tags: "slow" }, async () => {
    const data = folder("shared");
    await engine(data, ADMIN_KEY);
    const { code, stderr } = await main(["--data", data, "--port", "0", "--site-port", "0"]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/in use|another process/i);
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  it("creates a key once, stores it and prints it", { tags: "slow" }, async () => {
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

  it("exits cleanly on SIGTERM and with its parent process", { tags: "slow" }, async () => {
    const data = folder("end");
    const first = await engine(data, ADMIN_KEY);
    const client = new ConvexClient(first.url, {
      webSocketConstructor: WebSocket as unknown as typeof globalThis.WebSocket,
      logger: false,
    });
    const answered = Promise.withResolvers<unknown>();
    client.onUpdate(anyApi.no!.thing!, {}, () => undefined, answered.resolve);
    await answered.promise;
    expect(await first.stop("SIGTERM")).toBe(0);
    await client.close();
    const second = await engine(data, ADMIN_KEY);
    const ended = new Promise((done) => second.child.once("exit", done));
    second.child.disconnect();
    expect(await ended).toBe(0);
  });
});

/** 300 ms on two idle cores. Compares CPU time with a bare Node at the same moment, so that load affects both. */
it.runIf(process.platform === "linux")("starts on an empty folder with little work if its code was compiled before", async () => {
  await (await startEngine(folder("ready"), ADMIN_KEY)).stop();
  const spent = processorMs(await engine(folder("ready"), ADMIN_KEY));
  const idle = "const { user, system } = process.cpuUsage(); process.stdout.write(String((user + system) / 1000))";
  expect(spent / Number(execFileSync(process.execPath, ["-e", idle]))).toBeLessThan(40);
});

/** Returns user and system time in ms (proc(5), fields 14 and 15, in hundredths of a second). */
function processorMs({ child }: EngineProcess): number {
  const fields = readFileSync(`/proc/${child.pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
