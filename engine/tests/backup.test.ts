import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ConvexHttpClient } from "convex/browser";
import { anyApi } from "convex/server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { backUp } from "../src/backup/back-up.ts";
import { checkIntegrity } from "../src/transaction/integrity/integrity.ts";
import { pushFixture } from "./deployed.ts";
import { ADMIN_KEY, createIssuer, removeFolder, startEngine, temporaryFolder, type EngineProcess } from "./harness.ts";

const messages = anyApi["messages"]!;
const files = anyApi["files"]!;
const data = temporaryFolder("backed-up");
const copies = temporaryFolder("copies");
const folders = [data, copies];
let engine: EngineProcess;
beforeAll(async () => {
  engine = await startEngine(data, ADMIN_KEY);
  folders.push(await pushFixture(engine, await createIssuer()));
});
afterAll(async () => {
  await engine.stop("SIGKILL");
  folders.forEach(removeFolder);
});

const http = ({ url }: EngineProcess) => new ConvexHttpClient(url, { logger: false });

async function upload(to: EngineProcess, text: string): Promise<string> {
  const response = await fetch(await http(to).mutation(files["uploadUrl"]!, {}), { method: "POST", body: text });
  const { storageId }: { storageId: string } = await response.json();
  return storageId;
}

const contentOf = async (on: EngineProcess, id: string): Promise<string | null> => {
  const url: string | null = await http(on).query(files["url"]!, { id });
  return url === null ? null : (await fetch(url.replace(/^http:\/\/[^/]+/, on.url))).text();
};

async function bodies(on: EngineProcess, channel: string): Promise<string[]> {
  const stored: { body: string }[] = await http(on).query(messages["list"]!, { channel });
  return stored.map(({ body }) => body);
}

describe("a backup", { timeout: 120_000 }, () => {
  it("contains acknowledged writes of a running deployment and can be started", async () => {
    const id = await upload(engine, "a file's content");
    await http(engine).mutation(messages["send"]!, { channel: "kept", body: "before" });
    const enough = new AbortController();
    const written: number[] = [];
    const writer = (async () => {
      for (let i = 0; !enough.signal.aborted; i += 1) {
        await http(engine).mutation(messages["send"]!, { channel: "during", body: `${i}` });
        written.push(i);
      }
    })();
    await expect.poll(() => written.length).toBeGreaterThan(5);
    const before = written.length;
    const to = join(copies, "running");
    expect(await backUp({ from: data, to, adminKey: ADMIN_KEY })).toEqual({ running: true });
    const after = written.length;
    await expect.poll(() => written.length).toBeGreaterThan(after + 5);
    enough.abort();
    await writer;

    expect(checkIntegrity(to)).toEqual([]);
    const restored = await startEngine(to, ADMIN_KEY);
    expect(await bodies(restored, "kept")).toEqual(["before"]);
    const during = await bodies(restored, "during");
    expect(during).toEqual(Array.from(during, (_, i) => `${i}`));
    expect(during.length).toBeGreaterThanOrEqual(Math.min(before, 100));
    expect(await contentOf(restored, id)).toBe("a file's content");
    await http(restored).mutation(messages["send"]!, { channel: "kept", body: "after" });
    expect(await restored.stop()).toBe(0);
    expect(await bodies(engine, "kept")).toEqual(["before"]);
    expect(await contentOf(engine, id)).toBe("a file's content");
  });

  it("needs no process of a stopped deployment and keeps the key", { tags: "slow" }, async () => {
    const resting = temporaryFolder("resting");
    folders.push(resting);
    const first = await startEngine(resting, ADMIN_KEY);
    folders.push(await pushFixture(first, await createIssuer()));
    await http(first).mutation(messages["send"]!, { channel: "kept", body: "once" });
    await first.stop("SIGKILL");
    const to = join(copies, "resting");
    expect(await backUp({ from: resting, to })).toEqual({ running: false });
    const restored = await startEngine(to, ADMIN_KEY);
    expect(await bodies(restored, "kept")).toEqual(["once"]);
    await restored.stop();
  });

  it("is refused for an existing target and a wrong key, without leaving files", async () => {
    await expect(backUp({ from: data, to: copies, adminKey: ADMIN_KEY })).rejects.toThrow("already exists");
    const to = join(copies, "refused");
    await expect(backUp({ from: data, to, adminKey: `test|${"00".repeat(32)}` })).rejects.toThrow("refused");
    expect([existsSync(to), existsSync(`${to}.partial`)]).toEqual([false, false]);
  });
});

describe("a copy that is only tested", { timeout: 60_000 }, () => {
  it("runs no scheduled functions with --no-scheduled-functions", async () => {
    const dir = temporaryFolder("without-jobs");
    folders.push(dir);
    const ports = { port: 0, sitePort: 0 };
    const counters = anyApi["counters"]!;
    const paused = await startEngine(dir, ADMIN_KEY, ports, ["--no-scheduled-functions"]);
    folders.push(await pushFixture(paused, await createIssuer()));
    const count = (on: EngineProcess) => http(on).query(counters["get"]!, { name: "later" });
    await http(paused).mutation(counters["addLater"]!, { name: "later" });
    for (let each = 0; each < 20; each += 1) await http(paused).mutation(messages["send"]!, { channel: "waiting", body: `${each}` });
    expect(await count(paused)).toBe(0);
    await paused.stop();
    const running = await startEngine(dir, ADMIN_KEY);
    await expect.poll(() => count(running)).toBe(1);
    await running.stop();
  });
});

describe("during a backup", { timeout: 60_000 }, () => {
  const post = async (name: string, body: object) => {
    const response = await fetch(`${engine.url}/api/backup/${name}`, {
      method: "POST",
      headers: { Authorization: `Convex ${ADMIN_KEY}` },
      body: JSON.stringify(body),
    });
    const answer: { hold?: string; unbroken?: boolean } = await response.json();
    return answer;
  };

  it("keeps the file unchanged and deleted bytes on disk until released", async () => {
    const id = await upload(engine, "to be deleted");
    const { hold = "" } = await post("hold", {});
    const file = join(data, "deployment.sqlite3");
    const still = readFileSync(file);
    const row = await http(engine).query(files["url"]!, { id });
    const path = join(data, "files", String(row).split("/").at(-1) ?? "");
    for (let i = 0; i < 300; i += 1)
      await http(engine).mutation(messages["send"]!, { channel: "held", body: "x".repeat(20_000) }, { skipQueue: true });
    await http(engine).mutation(files["remove"]!, { id });
    expect(readFileSync(file).equals(still)).toBe(true);
    expect(existsSync(path)).toBe(true);
    expect(await post("release", { hold: "another" })).toEqual({ unbroken: false });
    expect(await post("release", { hold })).toEqual({ unbroken: true });
    expect(existsSync(path)).toBe(false);
    expect(await post("release", { hold })).toEqual({ unbroken: false });
  });

  it("a push interrupts the backup and reports it", async () => {
    const { hold = "" } = await post("hold", {});
    folders.push(await pushFixture(engine, await createIssuer()));
    expect(await post("release", { hold })).toEqual({ unbroken: false });
  });

  it.each(["hold", "release"])("rejects /api/backup/%s without the admin key", async (name) => {
    expect((await fetch(`${engine.url}/api/backup/${name}`, { method: "POST", body: "{}" })).status).toBe(401);
  });
});
