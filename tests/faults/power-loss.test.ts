/**
 * Records the writes of a deployment under load, and replays what a kill or a power loss at any moment leaves.
 * Set `POWER_LOSS_ROUNDS=1000` and `KILL_ROUNDS=1000` for the long run.
 */
import { randomBytes, randomInt } from "node:crypto";
import { cpSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { ConvexHttpClient } from "convex/browser";
import { anyApi } from "convex/server";
import { afterAll, describe, expect, it } from "vitest";
import { checkData } from "@atelier/engine/check-data";
import { openContents } from "@atelier/engine/contents";
import { pushBundle } from "@atelier/engine/testing/deployed";
import { bundleSources } from "@atelier/engine/testing/bundle";
import { ADMIN_KEY, type EngineProcess, removeFolder, startEngine, temporaryFolder } from "@atelier/engine/testing/harness";
import { readStored, RecordedClient, ROUND_FUNCTIONS, type Stored } from "./power-loss/recorded-client.ts";
import { compileRecorder, type Kept, Recorder, type Recording } from "./power-loss/recorded-writes.ts";

const KILL_ROUNDS = Number(process.env["KILL_ROUNDS"] ?? 20);
const POWER_LOSS_ROUNDS = Number(process.env["POWER_LOSS_ROUNDS"] ?? 30);
const ROUND_MS = 5_000;
const SESSIONS = 3;
/** Enough for several removals of rows and files in each session. */
const CHANGES = 200;
const TORN_ROWS = 20;
const SLOW_FSYNC_MS = 300;
const LOST: Kept[] = ["nothing", "names", "some"];

const library = compileRecorder();
const folders: string[] = [];
let engine: EngineProcess | null = null;
afterAll(async () => {
  await engine?.stop("SIGKILL");
  folders.forEach(removeFolder);
});

function folder(name: string): string {
  const path = temporaryFolder(name);
  folders.push(path, `${path}.recorded`);
  return path;
}

/** `from`: position in the log at which the load begins. */
type Session = { recording: Recording; client: RecordedClient; from: number };

/** Calls `check` with each recording, killed under load. Each session continues with what a power loss has left of the last one. */
async function recordSessions(sessions: number, check: (session: Session) => Promise<string[]>): Promise<string[]> {
  const data = folder("power");
  const recorder = new Recorder(library ?? "", data);
  const client = new RecordedClient(() => recorder.position());
  for (let session = 0; session < sessions; session += 1) {
    engine = await startEngine(data, ADMIN_KEY, undefined, [], recorder.start());
    if (session === 0) await pushBundle(engine, await bundleSources(ROUND_FUNCTIONS));
    const stored = await readStored(engine.url);
    const problems = [...client.compare(stored, Infinity), ...filesBack(data, client.removedNames(Infinity), new Set())];
    if (problems.length > 0) return problems;
    client.restart(stored);
    const from = recorder.position();
    const before = client.acknowledged;
    const ended = client.run(engine.url);
    const isTruncated = truncationOf(join(data, "deployment.sqlite3-wal"));
    await expect.poll(() => isTruncated() && client.acknowledged > before + CHANGES, { timeout: 60_000 }).toBe(true);
    await engine.stop("SIGKILL");
    await ended;
    const recording = recorder.recording();
    const found = await check({ recording, client, from });
    if (found.length > 0) return found;
    recording.write(data, recording.changes.length, LOST[session % LOST.length] ?? "nothing");
  }
  return [];
}

/** Returns a function that tells whether a checkpoint has truncated the log. */
function truncationOf(log: string): () => boolean {
  let [largest, isTruncated] = [0, false];
  return () => {
    const { size } = statSync(log);
    isTruncated ||= size < largest;
    largest = Math.max(largest, size);
    return isTruncated;
  };
}

/** Returns the lost, doubled, reappeared and damaged data in the state after `count` changes. */
async function problemsAfter({ recording, client }: Session, count: number, kept: Kept, ignored?: RegExp): Promise<string[]> {
  const left = folder("left");
  recording.write(left, count, kept, ignored ? { ignored } : {});
  try {
    const { problems } = await checkData(left);
    if (problems.length > 0) return problems;
    const at = recording.changes[count - 1]?.end ?? 0;
    return [...client.compare(readCopy(left), at), ...filesBack(left, client.removedNames(at), pendingRemovals(left))];
  } finally {
    removeFolder(left);
  }
}

function readCopy(data: string): Stored {
  const contents = openContents(data);
  try {
    const texts = (table: string, field: string) =>
      [...contents.rows(table)].map(({ [field]: value }) => (typeof value === "string" ? value : ""));
    return { names: texts("rows", "name"), files: texts("_storage", "_id") };
  } finally {
    contents.close();
  }
}

function pendingRemovals(data: string): Set<string> {
  const sql = new DatabaseSync(join(data, "deployment.sqlite3"), { readOnly: true });
  try {
    const rows = sql.prepare("SELECT name FROM settings WHERE name LIKE 'removed/%'").all();
    return new Set(rows.map(({ name }) => String(name).slice("removed/".length)));
  } finally {
    sql.close();
  }
}

function filesBack(data: string, removed: Set<string>, pending: Set<string>): string[] {
  const places = [join(data, "files"), join(data, "quarantine")].filter((place) => existsSync(place));
  const names = places.flatMap((place) => readdirSync(place, { recursive: true, encoding: "utf8" })).map((name) => basename(name));
  return names.filter((name) => removed.has(name) && !pending.has(name)).map((name) => `The removed file ${name} is back.`);
}

const anyCount = ({ recording, from }: Session): number => {
  const first = recording.changes.findIndex(({ end }) => end > from);
  return randomInt(first, recording.changes.length) + 1;
};

describe.runIf(library)("a deployment under load", () => {
  const rounds = KILL_ROUNDS + POWER_LOSS_ROUNDS;
  it(
    `keeps data intact in ${KILL_ROUNDS} kills and ${POWER_LOSS_ROUNDS} power losses`,
    { tags: "@power-loss", timeout: 120_000 + rounds * ROUND_MS },
    async () => {
      const ended = { kill: 0, power: 0 };
      let acknowledged = 0;
      const problems = await recordSessions(SESSIONS, async (session) => {
        acknowledged = session.client.acknowledged;
        for (const [kind, all] of [
          ["kill", KILL_ROUNDS],
          ["power", POWER_LOSS_ROUNDS],
        ] as const) {
          for (let round = 0; round < Math.ceil(all / SESSIONS); round += 1) {
            const count = anyCount(session);
            const kept = kind === "kill" ? "everything" : (LOST[round % LOST.length] ?? "nothing");
            const found = await problemsAfter(session, count, kept);
            if (found.length > 0) return [`After change ${count}, kept ${kept}:`, ...found];
            ended[kind] += 1;
          }
        }
        return [];
      });
      expect(problems).toEqual([]);
      expect(ended).toEqual({ kill: expect.any(Number), power: expect.any(Number) });
      console.log(`${acknowledged} acknowledged changes, ${ended.kill} kills, ${ended.power} power losses, nothing lost or doubled`);
    },
  );

  it.each([
    ["the log", /^deployment\.sqlite3-wal$/, /lost/],
    ["stored files", /^(uploads|files)\/./, /stored file .* (is missing|has|does not)/i],
    ["the folder of files", /^files$/, /is missing/],
  ])("loses changes if fsyncs of %s have no effect", { tags: "@power-loss-found", timeout: 180_000 }, async (_what, ignored, expected) => {
    const problems = await recordSessions(1, async (session) => {
      const counts = [0.4, 0.6, 0.8, 1].map((share) => Math.floor(session.recording.changes.length * share));
      const found = await Promise.all(counts.map((count) => problemsAfter(session, count, "nothing", ignored)));
      return found.flat();
    });
    expect(problems.join("\n")).toMatch(expected);
  });

  it("survives a power loss during the first start and push", { tags: "@power-loss-start", timeout: 180_000 }, async () => {
    const data = folder("first");
    const recorder = new Recorder(library ?? "", data);
    engine = await startEngine(data, ADMIN_KEY, undefined, [], recorder.start());
    const bundle = await bundleSources(ROUND_FUNCTIONS);
    await pushBundle(engine, bundle);
    await engine.stop("SIGKILL");
    const recording = recorder.recording();
    for (const kept of LOST) {
      recording.write(data, randomInt(recording.changes.length), kept);
      engine = await startEngine(data, ADMIN_KEY);
      await pushBundle(engine, bundle);
      expect(await readStored(engine.url)).toEqual({ names: [], files: [] });
      expect(await engine.stop()).toBe(0);
      expect((await checkData(data)).problems).toEqual([]);
    }
  });

  it("acknowledges nothing while an fsync takes long", { tags: "@slow-fsync", timeout: 120_000 }, async () => {
    const data = folder("slow");
    const recorder = new Recorder(library ?? "", data);
    engine = await startEngine(data, ADMIN_KEY, undefined, [], recorder.start());
    await pushBundle(engine, await bundleSources(ROUND_FUNCTIONS));
    recorder.slowFsync(SLOW_FSYNC_MS);
    const from = recorder.position();
    const client = new ConvexHttpClient(engine.url, { logger: false });
    await client.mutation(anyApi["rows"]!["add"]!, { name: "slow", text: "" });
    const at = recorder.position();
    await engine.stop("SIGKILL");
    const recording = recorder.recording();
    const isStoredAfter = async (count: number): Promise<boolean> => {
      const left = folder("slow-left");
      recording.write(left, count, "nothing");
      expect((await checkData(left)).problems).toEqual([]);
      return readCopy(left).names.includes("slow");
    };
    expect(await isStoredAfter(recording.changes.findLastIndex(({ end }) => end <= at) + 1)).toBe(true);
    expect(await isStoredAfter(recording.changes.findLastIndex(({ end }) => end <= from) + 1)).toBe(false);
  });

  it("stops writes after a failed fsync of the log, until a restart", { tags: "@failed-fsync", timeout: 120_000 }, async () => {
    const data = folder("failing");
    const recorder = new Recorder(library ?? "", data);
    const started = (engine = await startEngine(data, ADMIN_KEY, undefined, [], recorder.start()));
    await pushBundle(started, await bundleSources(ROUND_FUNCTIONS));
    const client = new ConvexHttpClient(started.url, { logger: false });
    const add = (name: string) =>
      client.mutation(anyApi["rows"]!["add"]!, { name, text: "" }).then(
        () => "added",
        (error: unknown) => String(error),
      );
    expect(await add("before")).toBe("added");
    recorder.failFsync("sqlite3-wal");
    const refusal = "The data of this deployment is damaged, so nothing is written. See its log";
    expect(await add("failed")).toContain(refusal);
    recorder.failFsync(null);
    expect(await add("after")).toContain(refusal);
    expect(started.errors()).toContain("The data is damaged (the disk failed to store data). Nothing more is written.");
    expect(await readStored(started.url)).toEqual({ names: ["before"], files: [] });

    await started.stop("SIGKILL");
    const recording = recorder.recording();
    recording.write(data, recording.changes.length, "nothing");
    expect((await checkData(data)).problems).toEqual([]);
    engine = await startEngine(data, ADMIN_KEY);
    expect(await readStored(engine.url)).toEqual({ names: ["before"], files: [] });
  });

  it.each([
    ["its file", "/uploads/", 500, 200],
    ["its folder", "/files", 503, 503],
  ])(
    "rejects an upload if the fsync of %s fails",
    { tags: "@failed-fsync-upload", timeout: 120_000 },
    async (_what, failing, refusal, next) => {
      const data = folder("failing-upload");
      const recorder = new Recorder(library ?? "", data);
      engine = await startEngine(data, ADMIN_KEY, undefined, [], recorder.start());
      await pushBundle(engine, await bundleSources(ROUND_FUNCTIONS));
      const uploadUrl: string = await new ConvexHttpClient(engine.url, { logger: false }).mutation(anyApi["rows"]!["uploadUrl"]!, {});
      const upload = async () => (await fetch(uploadUrl, { method: "POST", body: "a file" })).status;
      recorder.failFsync(failing);
      expect(await upload()).toBe(refusal);
      expect(readdirSync(join(data, "files"))).toEqual([]);
      recorder.failFsync(null);
      expect(await upload()).toBe(next);
      expect((await readStored(engine.url)).files).toHaveLength(next === 200 ? 1 : 0);
    },
  );
});

/** Needs no compiler. */
it("keeps acknowledged changes if the end of the log is torn or damaged", { tags: "@torn-log", timeout: 120_000 }, async () => {
  const data = folder("torn");
  engine = await startEngine(data, ADMIN_KEY);
  await pushBundle(engine, await bundleSources(ROUND_FUNCTIONS));
  const client = new ConvexHttpClient(engine.url, { logger: false });
  const log = join(data, "deployment.sqlite3-wal");
  const sizes: number[] = [];
  for (let row = 0; row < TORN_ROWS; row += 1) {
    await client.mutation(anyApi["rows"]!["add"]!, { name: `row ${row}`, text: "text ".repeat(200) });
    sizes.push(statSync(log).size);
  }
  await engine.stop("SIGKILL");
  const whole = readFileSync(log);
  for (const [row, size] of sizes.entries()) {
    const left = folder("torn-left");
    cpSync(data, left, { recursive: true });
    const torn = whole.subarray(0, size + randomInt(whole.length - size + 1));
    const damaged = Buffer.concat([whole.subarray(0, size), randomBytes(whole.length - size)]);
    writeFileSync(join(left, "deployment.sqlite3-wal"), row % 2 === 0 ? torn : damaged);
    expect((await checkData(left)).problems).toEqual([]);
    const { names } = readCopy(left);
    expect(names).toEqual(Array.from({ length: names.length }, (_, each) => `row ${each}`));
    expect(names.length).toBeGreaterThan(row);
    removeFolder(left);
  }
});
