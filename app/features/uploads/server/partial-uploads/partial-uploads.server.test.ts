import { createHash } from "node:crypto";
import type * as fs from "node:fs/promises";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ChecksumMismatch, OffsetMismatch, TooLong } from "./append.server";
import { removeDeletedOwners } from "../deleted-accounts.server";
import { openPartialUploads, type PartialUploads, type PresentUploads } from "./partial-uploads.server";

const gates = vi.hoisted(() => ({ list: Promise.resolve(), writeState: Promise.resolve() }));
vi.mock("node:fs/promises", async (original) => {
  const actual = await original<typeof fs>();
  const opendir: typeof actual.opendir = (...args) => gates.list.then(() => actual.opendir(...args));
  const write: typeof actual.writeFile = (path, ...args) =>
    (typeof path === "string" && path.endsWith(".tmp") ? gates.writeState : Promise.resolve()).then(() => actual.writeFile(path, ...args));
  return { ...actual, opendir, writeFile: write };
});

describe("openPartialUploads", () => {
  let folder: string;
  let partialUploads: PartialUploads;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "parts-"));
    partialUploads = openPartialUploads(folder, { margin: 0 });
  });
  afterEach(async () => {
    await partialUploads.close();
    await rm(folder, { recursive: true });
  });

  const make = (length = 10, ownerId = "ada") => partialUploads.create({ ownerId, designId: "d", name: "fig.jpg", length, checksum: null });
  const again = async () => {
    await partialUploads.close();
    partialUploads = openPartialUploads(folder, { margin: 0 });
  };
  async function* chunks(...texts: string[]): AsyncGenerator<Uint8Array> {
    for (const text of texts) yield Buffer.from(text);
  }
  async function* brokenAfter(text: string): AsyncGenerator<Uint8Array> {
    yield Buffer.from(text);
    throw new Error("The line was cut");
  }

  it("appends across broken connections and in a new process", async () => {
    const part = await make();
    expect(await partialUploads.append(part, 0, chunks("ab", "c"))).toBe(3);
    await expect(partialUploads.append(part, 3, brokenAfter("de"))).rejects.toThrow("The line was cut");
    await again();
    const found = await partialUploads.find(part.id, "ada");
    expect(found).toMatchObject({ name: "fig.jpg", length: 10 });
    if (!found) return;
    expect(await partialUploads.offset(found)).toBe(5);
    expect(await partialUploads.append(found, 5, chunks("fghij"))).toBe(10);
    expect(await readFile(partialUploads.path(found), "utf8")).toBe("abcdefghij");
  });

  it("admits an owner's concurrent uploads one after the other", { tags: "@concurrent-reservations" }, async () => {
    const admit = async ({ unfinished }: PresentUploads) => {
      await Promise.resolve();
      if (unfinished.length >= 2) throw new Error("full");
    };
    const file = { ownerId: "ada", designId: "d", name: "fig.jpg", length: 10, checksum: null };
    const ends = await Promise.allSettled([1, 2, 3, 4].map(() => partialUploads.create(file, admit)));
    expect(ends.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected", "rejected"]);
    expect(await partialUploads.reserved("ada")).toBe(20);
  });

  it("reserves the storage of the project's owner for the uploads of all users", async () => {
    const file = { designId: "d", name: "fig.jpg", length: 10, checksum: null };
    const admit = async ({ reserving }: PresentUploads) => {
      await Promise.resolve();
      if (reserving.length >= 3) throw new Error("full");
    };
    const uploads = ["ada", "eve", "eve", "bob"].map((ownerId) =>
      partialUploads.create({ ...file, ownerId, storageOwnerId: "ada" }, admit),
    );
    const ends = await Promise.allSettled(uploads);
    expect(ends.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "fulfilled", "rejected"]);
    const reserved = async () => Promise.all(["ada", "eve"].map((id) => partialUploads.reserved(id)));
    expect(await reserved()).toEqual([30, 0]);
    expect(await partialUploads.unfinished("eve")).toHaveLength(2);
    await partialUploads.create({ ...file, ownerId: "eve" }, admit);
    await again();
    expect(await reserved()).toEqual([30, 10]);
    await partialUploads.removeOwner("eve");
    expect(await reserved()).toEqual([10, 0]);
  });

  it("returns a digest only for bytes that this process received in order", async () => {
    const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
    const whole = await make();
    await partialUploads.append(whole, 0, chunks("ab", "c"));
    expect(partialUploads.digest(whole)).toBeNull();
    await partialUploads.append(whole, 3, chunks("defghij"));
    expect([partialUploads.digest(whole), partialUploads.digest(whole)]).toEqual([sha256("abcdefghij"), sha256("abcdefghij")]);

    const broken = await make();
    await expect(partialUploads.append(broken, 0, brokenAfter("abc"))).rejects.toThrow("The line was cut");
    await partialUploads.append(broken, 3, chunks("defghij"));
    expect(partialUploads.digest(broken)).toBeNull();

    const rolledBack = await make(4);
    await partialUploads.append(rolledBack, 0, chunks("ab"));
    const digest = createHash("sha1").update("cd").digest();
    await expect(partialUploads.append(rolledBack, 2, chunks("cx"), { algorithm: "sha1", digest })).rejects.toThrow(ChecksumMismatch);
    await partialUploads.append(rolledBack, 2, chunks("cd"), { algorithm: "sha1", digest });
    expect(partialUploads.digest(rolledBack)).toBeNull();

    const older = await make();
    await partialUploads.append(older, 0, chunks("abc"));
    await again();
    await partialUploads.append(older, 3, chunks("defghij"));
    expect(partialUploads.digest(older)).toBeNull();
  });

  it("rejects a wrong offset, and bytes beyond the announced length", async () => {
    const part = await make();
    await expect(partialUploads.append(part, 1, chunks("x"))).rejects.toThrow(OffsetMismatch);
    await expect(partialUploads.append(part, 0, chunks("0123456789", "a"))).rejects.toThrow(TooLong);
    expect(await partialUploads.offset(part)).toBe(10);
  });

  it("stores a body with a checksum completely or not at all", async () => {
    const part = await make();
    await partialUploads.append(part, 0, chunks("ab"));
    const digest = createHash("sha1").update("cd").digest();
    await expect(partialUploads.append(part, 2, chunks("cx"), { algorithm: "sha1", digest })).rejects.toThrow(ChecksumMismatch);
    expect(await partialUploads.offset(part)).toBe(2);
    expect(await partialUploads.append(part, 2, chunks("cd"), { algorithm: "sha1", digest })).toBe(4);
  });

  it("lets a later request replace one that hangs, without mixing their bytes", async () => {
    const part = await make();
    const hangs = Promise.withResolvers<never>();
    const dead = (async function* () {
      yield Buffer.from("abc");
      await hangs.promise;
    })();
    const first = partialUploads.append(part, 0, dead);
    await expect.poll(() => partialUploads.offset(part)).toBe(3);
    const refused = first.catch((error: unknown) => error);
    expect(await partialUploads.append(part, 3, chunks("defghij"))).toBe(10);
    expect(await refused).toBeInstanceOf(OffsetMismatch);
    expect(await readFile(partialUploads.path(part), "utf8")).toBe("abcdefghij");
  });

  it("finds and counts an upload only for its owner", async () => {
    const part = await make(7);
    await make(5, "eve");
    expect(await partialUploads.find(part.id, "eve")).toBeNull();
    expect(await partialUploads.find("nonsense", "ada")).toBeNull();
    expect([await partialUploads.reserved("ada"), await partialUploads.reserved("eve"), await partialUploads.reserved("bob")]).toEqual([
      7, 5, 0,
    ]);
  });

  it("stores the outcome, without bytes or file name, beyond a restart", async () => {
    const part = await make(3);
    await partialUploads.append(part, 0, chunks("abc"));
    await partialUploads.finish(part, { ok: true, imageId: "i" });
    await again();
    expect((await partialUploads.findFinished(part.id, "ada"))?.outcome).toEqual({ ok: true, imageId: "i" });
    expect([await partialUploads.findFinished(part.id, "eve"), await partialUploads.find(part.id, "ada")]).toEqual([null, null]);
    expect([await partialUploads.reserved("ada"), await readdir(folder)]).toEqual([0, ["outcomes.jsonl"]]);
    expect(await readFile(join(folder, "outcomes.jsonl"), "utf8")).not.toContain("fig.jpg");
  });

  it("removes an upload whose outcome was stored before the process was killed", async () => {
    const part = await make(3);
    const [metadata, bytes] = [join(folder, `${part.id}.json`), partialUploads.path(part)];
    const stored = await readFile(metadata);
    await partialUploads.finish(part, { ok: true, imageId: "i" });
    await Promise.all([writeFile(metadata, stored), writeFile(bytes, "abc")]);
    await again();
    await partialUploads.sweep();
    expect([await readdir(folder), await partialUploads.reserved("ada")]).toEqual([["outcomes.jsonl"], 0]);
    expect(await partialUploads.findFinished(part.id, "ada")).not.toBeNull();
  });

  it("removes the uploads and outcomes of a deleted account", async () => {
    await make();
    await partialUploads.finish(await make(), { ok: true, imageId: "i" });
    const kept = await make(5, "eve");
    const requested: string[][] = [];
    await removeDeletedOwners(partialUploads, async (userIds) => {
      requested.push(userIds);
      return userIds.filter((userId) => userId === "ada");
    });
    expect([requested, await partialUploads.owners()]).toEqual([[["ada", "eve"]], ["eve"]]);
    const files = await readdir(folder);
    expect(files.toSorted()).toEqual([`${kept.id}.json`, `${kept.id}.part`, "outcomes.jsonl"].toSorted());
    for (const file of files) expect(await readFile(join(folder, file), "utf8")).not.toContain(`"ada"`);
  });

  it("ends a pending write when its upload is removed", async () => {
    const part = await make();
    const hangs = Promise.withResolvers<never>();
    const writing = partialUploads.append(
      part,
      0,
      (async function* () {
        yield Buffer.from("abc");
        await hangs.promise;
      })(),
    );
    await expect.poll(() => partialUploads.offset(part)).toBe(3);
    const refused = writing.catch((error: unknown) => error);
    await partialUploads.remove(part);
    expect(await refused).toBeInstanceOf(OffsetMismatch);
    expect(await readdir(folder)).toEqual([]);
  });

  it("expires an empty upload after half an hour, and a started one after a day", async () => {
    const hours = async (part: { id: string }) => (((await partialUploads.find(part.id, "ada"))?.expiresAt ?? 0) - Date.now()) / 3_600_000;
    const [empty, begun, killed] = [await make(), await make(), await make()];
    expect(await hours(empty)).toBeCloseTo(0.5, 1);
    await expect(partialUploads.append(begun, 0, brokenAfter("abc"))).rejects.toThrow("The line was cut");
    await expect(partialUploads.append(empty, 0, brokenAfter(""))).rejects.toThrow("The line was cut");
    expect(await hours(begun)).toBeCloseTo(24, 1);
    await writeFile(partialUploads.path(killed), "abc");
    await again();
    const left = await Promise.all([empty, begun, killed].map(hours));
    expect(left.map((each) => Math.round(each * 10) / 10)).toEqual([0.5, 24, 24]);
  });

  it("finds an upload of an earlier process before the folder has been read", async () => {
    const part = await make(7);
    await again();
    expect(partialUploads.counts().uploads).toBe(0);
    expect(await partialUploads.find(part.id, "eve")).toBeNull();
    expect((await partialUploads.find(part.id, "ada"))?.length).toBe(7);
    expect(await partialUploads.reserved("ada")).toBe(7);
  });

  it("keeps all changes that are made while the folder is read", async () => {
    const [written, removed] = [await make(), await make()];
    for (let each = 0; each < 50; each++) await make(1, "eve");
    await again();
    const writing = [partialUploads.append(written, 0, chunks("abc")), partialUploads.remove(removed)];
    const created = await Promise.all(Array.from({ length: 50 }, () => make()));
    await Promise.all(writing);
    expect(new Set((await partialUploads.unfinished("ada")).map(({ id }) => id))).toEqual(
      new Set([...created, written].map(({ id }) => id)),
    );
    expect([(await partialUploads.unfinished("eve")).length, (await readdir(folder)).length]).toEqual([50, 202]);
  });

  it("keeps an upload whose metadata is not yet written when the folder is read", async () => {
    const [list, metadata] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await partialUploads.close();
    gates.list = list.promise;
    partialUploads = openPartialUploads(folder, { margin: 0 });
    gates.writeState = metadata.promise;
    const creating = make();
    await expect.poll(() => readdir(folder)).toHaveLength(1);
    list.resolve();
    expect(await partialUploads.unfinished("ada")).toEqual([]);
    metadata.resolve();
    expect(await partialUploads.offset(await creating)).toBe(0);
  });

  it.each(["it may", "a call needs it"])("reads the folder only when %s", async (when) => {
    const part = await make();
    await partialUploads.close();
    const remains = "7b0c2a44-3f0e-4f57-9df5-5d2f1f1c9a11.part";
    await writeFile(join(folder, remains), "bytes without metadata");
    const begin = Promise.withResolvers<void>();
    partialUploads = openPartialUploads(folder, { margin: 0, begin: begin.promise });
    expect(await partialUploads.find(part.id, "ada")).toMatchObject({ id: part.id });
    await make(10, "eve");
    expect(await readdir(folder)).toContain(remains);
    if (when === "it may") begin.resolve();
    else await partialUploads.owners();
    await expect.poll(() => readdir(folder)).not.toContain(remains);
  });

  it("removes expired uploads, and incomplete ones at the start", async () => {
    await partialUploads.close();
    const kept = await make();
    partialUploads = openPartialUploads(folder, { keptMs: -1, keptEmptyMs: -1, margin: 0 });
    const expired = await make();
    expect(await partialUploads.find(expired.id, "ada")).toBeNull();
    await partialUploads.sweep();
    expect((await readdir(folder)).toSorted()).toEqual([`${kept.id}.json`, `${kept.id}.part`]);

    await writeFile(join(folder, "7b0c2a44-3f0e-4f57-9df5-5d2f1f1c9a11.part"), "bytes without metadata");
    await writeFile(join(folder, "7b0c2a44-3f0e-4f57-9df5-5d2f1f1c9a12.json"), "{ not whole");
    await writeFile(join(folder, `${kept.id}.x.tmp`), "half written");
    await again();
    await partialUploads.owners();
    expect((await readdir(folder)).toSorted()).toEqual([`${kept.id}.json`, `${kept.id}.part`]);
  });
});
