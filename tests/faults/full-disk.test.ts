/** Runs on a small tmpfs, which only root can mount; `engine/src/transaction/integrity/failure.test.ts` simulates a full disk elsewhere. */
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BaseConvexClient, ConvexHttpClient } from "convex/browser";
import { anyApi } from "convex/server";
import { WebSocket } from "ws";
import { afterAll, expect, it } from "vitest";
import { checkIntegrity } from "@atelier/engine/integrity";
import { pushFixture } from "@atelier/engine/testing/deployed";
import { ADMIN_KEY, createIssuer, removeFolder, startEngine, temporaryFolder, type EngineProcess } from "@atelier/engine/testing/harness";

const mountPoint = temporaryFolder("full");
const mounted = mount(mountPoint);
let engine: EngineProcess | null = null;
afterAll(async () => {
  await engine?.stop("SIGKILL");
  if (mounted) execFileSync("umount", ["--lazy", mountPoint]);
  removeFolder(mountPoint);
});

it.runIf(mounted)("rejects writes and answers reads on a full disk, and resumes when it has space", { timeout: 120_000 }, async () => {
  const data = join(mountPoint, "data");
  mkdirSync(data);
  engine = await startEngine(data, ADMIN_KEY);
  const project = await pushFixture(engine, await createIssuer());
  const client = new ConvexHttpClient(engine.url, { logger: false });
  const send = (body: string) => client.mutation(anyApi["messages"]!["send"]!, { channel: "disk", body });
  const kept = [await send("first")];

  const ballast = join(mountPoint, "ballast");
  writeFileSync(ballast, Buffer.alloc(Math.max(0, freeBytes() - 1_000_000)));
  const refusals: string[] = [];
  for (let i = 0; refusals.length === 0 && i < 100; i += 1) {
    await send(`${i} ${"x".repeat(100_000)}`).then(
      (id) => kept.push(id),
      (error: unknown) => refusals.push(String(error)),
    );
  }
  const live = new BaseConvexClient(engine.url, () => undefined, {
    webSocketConstructor: WebSocket as unknown as typeof globalThis.WebSocket,
    logger: false,
  });
  const sent = live.mutation("messages:send", { channel: "disk", body: "x".repeat(100_000) });
  await expect(sent).rejects.toThrow("InsufficientStorage: The deployment's disk is full");
  expect(live.connectionState().connectionRetries).toBe(0);
  await live.close();
  expect(refusals[0]).toMatch(/Writing failed|couldn't be completed|InsufficientStorage/);
  const read = async () => (await client.query(anyApi["messages"]!["list"]!, { channel: "disk" })).length;
  expect(await read()).toBe(kept.length);
  const upload = await fetch(await client.mutation(anyApi["files"]!["uploadUrl"]!, {}), { method: "POST", body: Buffer.alloc(3_000_000) });
  expect(upload.status).toBe(507);

  rmSync(ballast);
  await expect
    .poll(() =>
      send("after").then(
        () => true,
        () => false,
      ),
    )
    .toBe(true);
  expect(await read()).toBe(kept.length + 1);
  writeFileSync(ballast, Buffer.alloc(freeBytes()));
  expect(await engine.stop()).toBe(0);
  rmSync(ballast);
  engine = await startEngine(data, ADMIN_KEY);
  const reopened = new ConvexHttpClient(engine.url, { logger: false });
  expect(await reopened.query(anyApi["messages"]!["list"]!, { channel: "disk" })).toHaveLength(kept.length + 1);
  expect(await engine.stop()).toBe(0);
  expect(checkIntegrity(data)).toEqual([]);
  removeFolder(project);
});

it.runIf(mounted).each([0, 4, 32, 128, 512])("reports too little space for a start with %i KiB left", { timeout: 60_000 }, async (kib) => {
  await engine?.stop("SIGKILL");
  const ballast = join(mountPoint, "ballast");
  writeFileSync(ballast, Buffer.alloc(Math.max(0, freeBytes() - kib * 1024)));
  const started = await startEngine(join(mountPoint, `start-${kib}`), ADMIN_KEY).catch((error: unknown) => String(error));
  rmSync(ballast);
  if (typeof started !== "string") return void (await started.stop());
  expect(started).toMatch(/disk (of \S+ )?is full/i);
  expect(started).not.toMatch(/\n\s+at /);
});

function freeBytes(): number {
  const { bavail, bsize } = statfsSync(mountPoint);
  return bavail * bsize;
}

function mount(folder: string): boolean {
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=48m", "tmpfs", folder], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
