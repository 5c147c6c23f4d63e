import { Buffer } from "node:buffer";
import { randomBytes } from "node:crypto";
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { type S3Server, startS3Server } from "../../../../../tests/harness/services/s3.ts";
import { Fixture } from "../../testing.ts";
import type { OpenFile } from "../../types.ts";
import { FileUnavailableError } from "../local-copy.ts";
import type { FileBucketSettings } from "./bucket-settings.ts";

const SOURCES = {
  "files.ts": `
    import { actionGeneric as action, mutationGeneric as mutation } from "convex/server";
    export const text = action({ handler: async (ctx, { id }) => (await (await ctx.storage.get(id)).text()) });
    export const remove = mutation({ handler: async (ctx, { id }) => { await ctx.storage.delete(id); } });
    export const write = mutation({ handler: async (ctx) => { await ctx.db.insert("rows", {}); } });`,
};
const TIMING = { silenceMs: 20_000, firstPauseMs: 1, idleMs: 10 };
const UNAVAILABLE = { attempts: 2 };

let server: S3Server;
let fixture: Fixture;
let prefix: string;
let tests = 0;
const lines: string[] = [];

beforeAll(async () => void (server = await startS3Server()));
afterAll(() => server.stop());
beforeEach(async () => {
  prefix = `test-${(tests += 1)}`;
  lines.length = 0;
  fixture = new Fixture({}, { warn: (line) => void lines.push(line) });
  fixture.fileBucket = settings();
  await fixture.open();
  await fixture.push(SOURCES);
});
afterEach(async () => {
  await server.fail();
  await fixture.remove();
});

const settings = (changed: Partial<FileBucketSettings> = {}): FileBucketSettings => ({
  location: `s3://${server.bucket}/${prefix}`,
  s3: server.s3,
  cacheBytes: 1_000_000,
  movesBack: false,
  takesOver: false,
  timing: TIMING,
  ...changed,
});

async function store(content: string | Buffer): Promise<{ id: string; name: string }> {
  const before = new Set([...names(), ...(await objects())]);
  const body = (async function* () {
    yield Buffer.from(content);
  })();
  const id = await fixture.runner.files.store(body, { contentType: null });
  const name = [...names(), ...(await objects())].find((each) => !before.has(each));
  if (name === undefined) throw new Error("The stored file is nowhere.");
  return { id, name };
}

const names = (folder = "files"): string[] => (existsSync(join(fixture.dir, folder)) ? readdirSync(join(fixture.dir, folder)) : []);
async function objects(folder = "files"): Promise<string[]> {
  const { objects: all } = await server.command({ do: "list" });
  const start = `${prefix}/${folder}/`;
  return all.filter(({ key }) => key.startsWith(start)).map(({ key }) => key.slice(start.length));
}
const keyOf = (name: string): string => `${prefix}/files/${name}`;

async function opened(name: string): Promise<OpenFile> {
  const file = await fixture.runner.files.open(name);
  if (!file) throw new Error(`${name} has no row.`);
  return file;
}
const read = async (name: string, range?: { start: number; end: number }): Promise<Buffer> =>
  buffer(fixture.runner.files.read(await opened(name), range));

const isMoved = (count: number) =>
  vi.waitFor(async () => expect([names(), await objects()]).toEqual([[], expect.objectContaining({ length: count })]), 30_000);
const clearCache = () => {
  for (const name of names("file-cache")) rmSync(join(fixture.dir, "file-cache", name));
};

async function reopen(changed: Partial<FileBucketSettings> | null = {}): Promise<void> {
  await fixture.runner.close();
  fixture.fileBucket = changed && settings(changed);
  await fixture.open();
}

describe("a stored file", () => {
  it("is moved to the bucket, and read from the cache or the bucket, also in ranges", async () => {
    const content = randomBytes(300_000);
    const { name } = await store(content);
    await isMoved(1);
    expect(names("file-cache")).toEqual([name]);
    await server.command({ do: "forget" });
    expect((await read(name)).equals(content)).toBe(true);
    const { requests } = await server.command({ do: "list" });
    expect(requests.filter(({ key }) => key === keyOf(name))).toEqual([]);
    clearCache();
    expect((await read(name, { start: 100_000, end: 199_999 })).equals(content.subarray(100_000, 200_000))).toBe(true);
    expect((await read(name)).equals(content)).toBe(true);
  });

  it("is read by actions and by concurrent readers with one download", async () => {
    const { id, name } = await store("content");
    await isMoved(1);
    clearCache();
    expect(await fixture.value("files:text", { id })).toBe("content");
    await reopen({ cacheBytes: 0 });
    expect(await fixture.value("files:text", { id })).toBe("content");
    await reopen({ cacheBytes: 0 });
    await server.command({ do: "forget" });
    const all = await Promise.all(Array.from({ length: 20 }, () => read(name)));
    expect(new Set(all.map(String))).toEqual(new Set(["content"]));
    const { requests } = await server.command({ do: "list" });
    expect(requests.filter(({ key, method }) => method === "GET" && key === keyOf(name)).length).toBe(1);
  });

  it("is stored and read while the bucket is unavailable, and moved later", async () => {
    await reopen({ timing: { ...TIMING, ...UNAVAILABLE } });
    await server.fail({ kind: "status", status: 503, key: `^${prefix}/` });
    const { name } = await store("content");
    expect(String(await read(name))).toBe("content");
    await vi.waitFor(() => expect(fixture.runner.files.status()?.problem).toMatch(/^it is overloaded/), 30_000);
    await server.fail({ kind: "drop", key: `^${prefix}/` });
    await vi.waitFor(() => expect(fixture.runner.files.status()?.problem).toMatch(/^the connection was lost/), 30_000);
    expect([names(), await objects()]).toEqual([[name], []]);
    await server.fail();
    await isMoved(1);
    await vi.waitFor(() => expect(fixture.runner.files.status()).toMatchObject({ problem: null, waitingFiles: 0 }), 30_000);
    expect(lines.join("\n")).not.toContain(server.s3.secretAccessKey);
  });

  it.each([
    ["a lost connection", { kind: "cut", times: 3 }],
    ["503", { kind: "status", status: 503, times: 3 }],
    ["a slow bucket", { kind: "slow", bytesPerSecond: 1_000_000 }],
  ] as const)("is read after %s", async (_name, fault) => {
    const content = randomBytes(100_000);
    const { name } = await store(content);
    await isMoved(1);
    clearCache();
    await server.fail({ ...fault, on: "GET", key: keyOf(name) });
    expect((await read(name)).equals(content)).toBe(true);
  });

  it("is fetched again when the bucket returned wrong bytes once", async () => {
    const { name } = await store("content");
    await isMoved(1);
    clearCache();
    await server.fail({ kind: "wrong", on: "GET", key: keyOf(name), times: 1 });
    expect(String(await read(name))).toBe("content");
  });

  it("is not served when the bucket returns wrong bytes, and writes continue", async () => {
    const { id, name } = await store(randomBytes(200_000));
    await isMoved(1);
    clearCache();
    await server.command({ do: "flip", key: keyOf(name), at: 100_000, mask: 1 });
    const chunks: Uint8Array[] = [];
    const reading = async (range?: { start: number; end: number }) => {
      for await (const chunk of fixture.runner.files.read(await opened(name), range)) chunks.push(chunk);
    };
    await expect(reading()).rejects.toThrow(FileUnavailableError);
    await expect(reading({ start: 0, end: 9 })).rejects.toThrow(FileUnavailableError);
    expect((await fixture.failure("files:text", { id })).message).toMatch(/cannot be read from its bucket/);
    expect([chunks, names("file-cache")]).toEqual([[], []]);
    expect(lines).toContain(`Stored file ${name} in s3://${server.bucket}/${prefix} does not match its sha256. It is not served.`);
    await fixture.value("files:write");
    await server.command({ do: "flip", key: keyOf(name), at: 100_000, mask: 1 });
    expect((await read(name)).length).toBe(200_000);
  });

  it("is reported when its object is missing, longer or shorter", async () => {
    const { name } = await store("content");
    await isMoved(1);
    clearCache();
    for (const [body, message] of [
      ["content and more", /has 16 bytes instead of 7/],
      ["cont", /has 4 bytes instead of 7/],
    ] as const) {
      await server.command({ do: "put", key: keyOf(name), body });
      await expect(read(name)).rejects.toThrow(FileUnavailableError);
      expect(lines.join("\n")).toMatch(message);
    }
    await server.command({ do: "remove", key: keyOf(name) });
    await expect(read(name)).rejects.toThrow(`The stored file ${name} is missing.`);
    await fixture.value("files:write");
  });

  it("is fetched again when its cached copy is damaged", async () => {
    const { name } = await store("content");
    await isMoved(1);
    writeFileSync(join(fixture.dir, "file-cache", name), "c0ntent");
    expect(String(await read(name))).toBe("content");
    await fixture.value("files:write");
  });

  it("stays on the disk until the bucket returns the right bytes", async () => {
    await server.fail({ kind: "wrong", on: "GET", key: `^${prefix}/files/` });
    const { name } = await store("content");
    await vi.waitFor(() => expect(fixture.runner.files.status()?.problem).toMatch(/when it is read from s3:/), 30_000);
    expect(names()).toEqual([name]);
    expect(String(await read(name))).toBe("content");
    await server.fail();
    await isMoved(1);
  });

  it("is stored in parts above the size of a part", async () => {
    const content = randomBytes(17_000_000);
    const { name } = await store(content);
    await isMoved(1);
    expect(names("file-cache")).toEqual([]);
    expect((await read(name)).equals(content)).toBe(true);
    expect(names("file-cache")).toEqual([]);
    const { requests } = await server.command({ do: "list" });
    expect(requests.filter(({ key, query }) => key === keyOf(name) && query.includes("partNumber")).length).toBe(3);
  });
});

describe("the cache", () => {
  it("evicts the least recently used files above its limit", async () => {
    const stored: { name: string }[] = [];
    for (const letter of ["a", "b", "c"]) {
      stored.push(await store(letter.repeat(400_000)));
      await isMoved(stored.length);
    }
    const [a, b, c] = stored.map(({ name }) => name);
    expect(new Set(names("file-cache"))).toEqual(new Set([b, c]));
    await read(b ?? "");
    await read(a ?? "");
    expect(new Set(names("file-cache"))).toEqual(new Set([a, b]));
    expect(fixture.runner.files.status()).toMatchObject({ cachedFiles: 2, cachedBytes: 800_000 });
    await reopen({ cacheBytes: 400_000 });
    expect(names("file-cache").length).toBe(1);
  });
});

describe("a removed file", () => {
  it("is removed from the bucket and the cache", async () => {
    const { id } = await store("content");
    await isMoved(1);
    await fixture.value("files:remove", { id });
    await vi.waitFor(async () => expect([await objects(), names("file-cache")]).toEqual([[], []]), 30_000);
  });

  it("is removed after a restart when the bucket was unavailable", async () => {
    await reopen({ timing: { ...TIMING, ...UNAVAILABLE } });
    const { id } = await store("content");
    await isMoved(1);
    await server.fail({ kind: "drop", on: "DELETE" });
    await fixture.value("files:remove", { id });
    await vi.waitFor(() => expect(fixture.runner.files.status()?.problem).toMatch(/connection was lost/), 30_000);
    expect(await objects()).toHaveLength(1);
    await fixture.runner.close();
    await server.fail();
    await fixture.open();
    await vi.waitFor(async () => expect(await objects()).toEqual([]), 30_000);
    expect(await objects("quarantine")).toEqual([]);
  });

  it("stays while a backup runs", async () => {
    const { id } = await store("content");
    await isMoved(1);
    const hold = await fixture.runner.hold();
    await fixture.value("files:remove", { id });
    await store("later");
    await vi.waitFor(async () => expect(await objects()).toHaveLength(2), 30_000);
    // The local bytes stay, too, because the backup may be copying them.
    expect(names()).toHaveLength(1);
    await fixture.runner.release(hold);
    await isMoved(1);
  });
});

describe("an object without a row", () => {
  const stray = "00000000-0000-4000-8000-000000000000";
  const put = (name: string) =>
    vi.waitFor(async () => {
      await server.command({ do: "put", key: keyOf(name), body: "stray" });
      expect(await objects()).toContain(name);
    });

  it("is moved to quarantine at start", async () => {
    await store("content");
    await isMoved(1);
    await fixture.runner.close();
    await put(stray);
    await fixture.open();
    const today = new Date().toISOString().slice(0, 10);
    // A move is a copy and a deletion.
    await vi.waitFor(async () => {
      expect(await objects("quarantine")).toEqual([`${today}/${stray}`]);
      expect(await objects()).toHaveLength(1);
      expect(lines.join("\n")).toMatch(/1 of 2 objects in s3:.* kept for 30 days/);
    }, 30_000);
  });

  it("stays when there are too many to be left by a crash", async () => {
    await fixture.runner.close();
    for (let each = 0; each < 12; each += 1) await put(`00000000-0000-4000-8000-0000000000${each + 10}`);
    await fixture.open();
    await vi.waitFor(() => expect(lines.join("\n")).toMatch(/12 of 12 objects .* too many to be left by a crash/), 30_000);
    expect(await objects()).toHaveLength(12);
  });

  it("leaves the quarantine after 30 days, or when it has a row again", async () => {
    const { name } = await store("content");
    await isMoved(1);
    await fixture.runner.close();
    await server.command({ do: "rename", key: keyOf(name), to: `${prefix}/quarantine/2026-01-01/${name}` });
    await server.command({ do: "put", key: `${prefix}/quarantine/2026-01-01/${stray}`, body: "stray" });
    await server.command({ do: "put", key: `${prefix}/quarantine/${new Date().toISOString().slice(0, 10)}/${stray}`, body: "stray" });
    await fixture.open();
    await vi.waitFor(async () => expect(await objects()).toEqual([name]), 30_000);
    await vi.waitFor(async () => expect(await objects("quarantine")).toHaveLength(1), 30_000);
    clearCache();
    expect(String(await read(name))).toBe("content");
  });
});

describe("a move of existing files", () => {
  it("loses no file to the bucket and back, also when it is interrupted", async () => {
    await reopen(null);
    const contents = new Map<string, Buffer>();
    for (let each = 0; each < 12; each += 1) {
      const content = randomBytes(50_000 + each);
      contents.set((await store(content)).name, content);
    }
    const expectAll = async () => {
      for (const [name, content] of contents) expect((await read(name)).equals(content)).toBe(true);
    };
    for (const movesBack of [false, true]) {
      await reopen({ movesBack, cacheBytes: 0, timing: { ...TIMING, ...UNAVAILABLE } });
      await server.fail({ kind: "drop-answer", on: "PUT", times: 3 }, { kind: "cut", on: "GET", key: `^${prefix}/files/`, times: 5 });
      await expectAll();
      await reopen({ movesBack, cacheBytes: 0 });
      await expectAll();
      await server.fail();
      const [inBucket, onDisk] = movesBack ? [0, 12] : [12, 0];
      await vi.waitFor(async () => expect([(await objects()).length, names().length]).toEqual([inBucket, onDisk]), 60_000);
      await expectAll();
    }
    await vi.waitFor(() => expect(lines.join("\n")).toMatch(/All stored files are on the disk\. Remove FILES_S3_\*/), 30_000);
    await reopen(null);
    await expectAll();
    await reopen({ cacheBytes: 0 });
    await isMoved(12);
    await expectAll();
  });

  it("keeps objects until a backup has ended when it moves files back", async () => {
    const { name } = await store("content");
    await isMoved(1);
    await server.fail({ kind: "status", status: 503, on: "GET", key: keyOf(name) });
    await reopen({ movesBack: true, timing: { ...TIMING, ...UNAVAILABLE } });
    await vi.waitFor(() => expect(fixture.runner.files.status()?.problem).toMatch(/overloaded/), 30_000);
    const hold = await fixture.runner.hold();
    await server.fail();
    await vi.waitFor(() => expect(fixture.runner.files.status()?.problem).toBeNull(), 30_000);
    expect(await objects()).toEqual([name]);
    await fixture.runner.release(hold);
    await vi.waitFor(async () => expect(await objects()).toEqual([]), 30_000);
  });

  it("stops at wrong bytes of an object, and keeps it", async () => {
    const { name } = await store("content");
    await isMoved(1);
    await server.command({ do: "flip", key: keyOf(name), at: 0, mask: 1 });
    await reopen({ movesBack: true });
    await vi.waitFor(() => expect(fixture.runner.files.status()?.problem).toMatch(/does not match its sha256 when it is read/), 30_000);
    expect([names(), await objects()]).toEqual([[], [name]]);
  });

  it("does not upload a damaged file, which stops writes", async () => {
    await reopen(null);
    const { name } = await store("content");
    writeFileSync(join(fixture.dir, "files", name), "c0ntent");
    await reopen();
    await vi.waitFor(() => expect(fixture.value("files:write")).rejects.toThrow("The data is damaged"), 30_000);
    expect([names(), await objects()]).toEqual([[name], []]);
  });
});

describe("a start", () => {
  let copy: string;
  beforeEach(() => void (copy = mkdtempSync(join(tmpdir(), "engine-copy-"))));
  afterEach(() => rmSync(copy, { recursive: true, force: true }));

  const refusal = (changed: Partial<FileBucketSettings> | null) =>
    reopen(changed).then(
      () => "started",
      (error: Error) => error.message,
    );
  const recover = () => fixture.open();

  it("is refused without the settings of the bucket that has files", async () => {
    await store("content");
    await isMoved(1);
    expect(await refusal(null)).toMatch(/Stored files are in s3:.*FILES_S3_LOCATION is missing/);
    fixture.fileBucket = settings();
    await recover();
  });

  it("is refused with the files of another deployment, or with another prefix", async () => {
    await store("content");
    await isMoved(1);
    const other = new Fixture({}, { warn: () => undefined });
    other.fileBucket = settings();
    await expect(other.open()).rejects.toThrow(/has the files of another deployment/);
    rmSync(other.dir, { recursive: true });
    expect(await refusal({ location: `s3://${server.bucket}/${prefix}-other` })).toMatch(/does not have the files of this deployment/);
    fixture.fileBucket = settings();
    await recover();
  });

  it("is refused for a second copy until it takes over, and then for the first one", async () => {
    const { id, name } = await store("content");
    await isMoved(1);
    await fixture.runner.close();
    cpSync(fixture.dir, copy, { recursive: true });
    rmSync(join(copy, "file-bucket.json"));
    await fixture.open();
    const restored = new Fixture({}, { warn: () => undefined });
    rmSync(restored.dir, { recursive: true });
    cpSync(copy, restored.dir, { recursive: true });
    restored.fileBucket = settings();
    await expect(restored.open()).rejects.toThrow(/Another copy of this deployment uses the files .* FILES_S3_TAKE_OVER=true/);
    restored.fileBucket = settings({ takesOver: true });
    await restored.open();
    await fixture.runner.close();
    expect(await refusal({})).toMatch(/Another copy of this deployment/);
    expect(await objects()).toEqual([name]);
    await restored.push(SOURCES);
    expect(await restored.value("files:text", { id })).toBe("content");
    await restored.remove();
    fixture.fileBucket = settings({ takesOver: true });
    await recover();
  });

  it("moves all objects of the other copy to quarantine when it takes over", async () => {
    const { name } = await store("content");
    await isMoved(1);
    await fixture.runner.close();
    cpSync(fixture.dir, copy, { recursive: true });
    await fixture.open();
    for (let each = 0; each < 12; each += 1) await store(`later ${each}`);
    await isMoved(13);
    await fixture.runner.close();
    const later = fixture.dir;
    rmSync(later, { recursive: true });
    cpSync(copy, later, { recursive: true });
    rmSync(join(later, "file-bucket.json"));
    fixture.fileBucket = settings({ takesOver: true });
    await fixture.open();
    await vi.waitFor(async () => expect([await objects(), (await objects("quarantine")).length]).toEqual([[name], 12]), 30_000);
  });

  it.each([
    ["a wrong key", { s3: () => ({ ...server.s3, secretAccessKey: "wrong" }) }, /the secret access key is wrong/],
    ["a missing bucket", { location: "s3://missing" }, /the bucket does not exist/],
  ] as [string, { s3?: () => FileBucketSettings["s3"]; location?: string }, RegExp][])(
    "is refused the first time with %s",
    async (_name, { s3, location }, message) => {
      const first = new Fixture({}, { warn: () => undefined });
      first.fileBucket = settings({ location: location ?? `s3://${server.bucket}/${prefix}-first`, s3: s3?.() ?? server.s3 });
      await expect(first.open()).rejects.toThrow(message);
      await expect(first.open()).rejects.not.toThrow(server.s3.secretAccessKey);
      rmSync(first.dir, { recursive: true });
    },
  );

  it("later succeeds while the bucket is unavailable, and reads the cache", async () => {
    const { name } = await store("content");
    await isMoved(1);
    await server.fail({ kind: "drop" });
    await reopen({ timing: { ...TIMING, ...UNAVAILABLE } });
    expect(String(await read(name))).toBe("content");
    clearCache();
    await expect(read(name)).rejects.toThrow(FileUnavailableError);
    await server.fail();
    expect(String(await read(name))).toBe("content");
  });

  it("is refused when the database is missing and the bucket has files", async () => {
    await store("content");
    await isMoved(1);
    await fixture.runner.close();
    for (const name of names(".").filter((each) => each.startsWith("deployment.sqlite3"))) rmSync(join(fixture.dir, name));
    await expect(fixture.open()).rejects.toThrow(/is missing, but s3:.* contains stored files/);
    rmSync(join(fixture.dir, "file-bucket.json"));
    fixture.fileBucket = null;
    await recover();
  });
});
