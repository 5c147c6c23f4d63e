import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ChecksumMismatch, OffsetMismatch, TooLong } from "./append.server";
import { openParts, type Parts } from "./parts.server";

describe("parts", () => {
  let folder: string;
  let parts: Parts;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "parts-"));
    parts = openParts(folder, { margin: 0 });
  });
  afterEach(async () => {
    parts.close();
    await rm(folder, { recursive: true });
  });

  const make = (length = 10, ownerId = "ada") => parts.create({ ownerId, designId: "d", name: "fig.jpg", length, checksum: null });
  const again = () => {
    parts.close();
    parts = openParts(folder, { margin: 0 });
  };
  async function* chunks(...texts: string[]): AsyncGenerator<Uint8Array> {
    for (const text of texts) yield Buffer.from(text);
  }
  async function* brokenAfter(text: string): AsyncGenerator<Uint8Array> {
    yield Buffer.from(text);
    throw new Error("The line was cut");
  }

  it("grows by what arrives, across broken lines and a new process", async () => {
    const part = await make();
    expect(await parts.append(part, 0, chunks("ab", "c"))).toBe(3);
    await expect(parts.append(part, 3, brokenAfter("de"))).rejects.toThrow("The line was cut");
    again();
    const found = parts.find(part.id, "ada");
    expect(found).toMatchObject({ name: "fig.jpg", length: 10 });
    if (!found) return;
    expect(await parts.offset(found)).toBe(5);
    expect(await parts.append(found, 5, chunks("fghij"))).toBe(10);
    expect(await readFile(parts.path(found), "utf8")).toBe("abcdefghij");
  });

  it("has hashed by the end what came in order, over several requests, and nothing that was broken off, rolled back or begun by another process", async () => {
    const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
    const whole = await make();
    await parts.append(whole, 0, chunks("ab", "c"));
    expect(parts.digest(whole)).toBeNull();
    await parts.append(whole, 3, chunks("defghij"));
    expect([parts.digest(whole), parts.digest(whole)]).toEqual([sha256("abcdefghij"), sha256("abcdefghij")]);

    const broken = await make();
    await expect(parts.append(broken, 0, brokenAfter("abc"))).rejects.toThrow("The line was cut");
    await parts.append(broken, 3, chunks("defghij"));
    expect(parts.digest(broken)).toBeNull();

    const rolledBack = await make(4);
    await parts.append(rolledBack, 0, chunks("ab"));
    const digest = createHash("sha1").update("cd").digest();
    await expect(parts.append(rolledBack, 2, chunks("cx"), { algorithm: "sha1", digest })).rejects.toThrow(ChecksumMismatch);
    await parts.append(rolledBack, 2, chunks("cd"), { algorithm: "sha1", digest });
    expect(parts.digest(rolledBack)).toBeNull();

    const older = await make();
    await parts.append(older, 0, chunks("abc"));
    again();
    await parts.append(older, 3, chunks("defghij"));
    expect(parts.digest(older)).toBeNull();
  });

  it("takes nothing at another offset, and nothing beyond what was announced", async () => {
    const part = await make();
    await expect(parts.append(part, 1, chunks("x"))).rejects.toThrow(OffsetMismatch);
    await expect(parts.append(part, 0, chunks("0123456789", "a"))).rejects.toThrow(TooLong);
    expect(await parts.offset(part)).toBe(10);
  });

  it("takes a body with a checksum as a whole or not at all", async () => {
    const part = await make();
    await parts.append(part, 0, chunks("ab"));
    const digest = createHash("sha1").update("cd").digest();
    await expect(parts.append(part, 2, chunks("cx"), { algorithm: "sha1", digest })).rejects.toThrow(ChecksumMismatch);
    expect(await parts.offset(part)).toBe(2);
    expect(await parts.append(part, 2, chunks("cd"), { algorithm: "sha1", digest })).toBe(4);
  });

  it("lets a later request go on where an earlier one hangs, and never mixes the two", async () => {
    const part = await make();
    const hangs = Promise.withResolvers<never>();
    const dead = (async function* () {
      yield Buffer.from("abc");
      await hangs.promise;
    })();
    const first = parts.append(part, 0, dead);
    await expect.poll(() => parts.offset(part)).toBe(3);
    const refused = first.catch((error: unknown) => error);
    // As a second tab does: it asks how far it is, and goes on from there.
    expect(await parts.append(part, 3, chunks("defghij"))).toBe(10);
    expect(await refused).toBeInstanceOf(OffsetMismatch);
    expect(await readFile(parts.path(part), "utf8")).toBe("abcdefghij");
  });

  it("is found by its owner alone, and counts for its owner alone", async () => {
    const part = await make(7);
    await make(5, "eve");
    expect(parts.find(part.id, "eve")).toBeNull();
    expect(parts.find("nonsense", "ada")).toBeNull();
    expect([parts.reserved("ada"), parts.reserved("eve"), parts.reserved("bob")]).toEqual([7, 5, 0]);
  });

  it("remembers what became of it without its bytes, through a restart", async () => {
    const part = await make(3);
    await parts.append(part, 0, chunks("abc"));
    await parts.finish(part, { name: "fig.jpg", ok: true, imageId: "i" });
    again();
    expect(parts.find(part.id, "ada")?.outcome).toEqual({ name: "fig.jpg", ok: true, imageId: "i" });
    expect([parts.reserved("ada"), await readdir(folder)]).toEqual([0, [`${part.id}.json`]]);
  });

  it("ends whoever writes when it is removed", async () => {
    const part = await make();
    const hangs = Promise.withResolvers<never>();
    const writing = parts.append(
      part,
      0,
      (async function* () {
        yield Buffer.from("abc");
        await hangs.promise;
      })(),
    );
    await expect.poll(() => parts.offset(part)).toBe(3);
    const refused = writing.catch((error: unknown) => error);
    await parts.remove(part);
    expect(await refused).toBeInstanceOf(OffsetMismatch);
    expect(await readdir(folder)).toEqual([]);
  });

  it("keeps what was announced and never begun for half an hour, and what has begun for a day, also after a broken line", async () => {
    const hours = (part: { id: string }) => ((parts.find(part.id, "ada")?.expiresAt ?? 0) - Date.now()) / 3_600_000;
    const [empty, begun, killed] = [await make(), await make(), await make()];
    expect(hours(empty)).toBeCloseTo(0.5, 1);
    await expect(parts.append(begun, 0, brokenAfter("abc"))).rejects.toThrow("The line was cut");
    await expect(parts.append(empty, 0, brokenAfter(""))).rejects.toThrow("The line was cut");
    expect(hours(begun)).toBeCloseTo(24, 1);
    // As a process leaves it that is killed while it writes: with bytes, and the facts of the beginning.
    await writeFile(parts.path(killed), "abc");
    again();
    expect([empty, begun, killed].map((part) => Math.round(hours(part) * 10) / 10)).toEqual([0.5, 24, 24]);
  });

  it("removes what has expired, and at the start whatever is no whole part", async () => {
    parts.close();
    const kept = await make();
    parts = openParts(folder, { keptMs: -1, keptEmptyMs: -1, margin: 0 });
    const expired = await make();
    expect(parts.find(expired.id, "ada")).toBeNull();
    await parts.sweep();
    expect((await readdir(folder)).toSorted()).toEqual([`${kept.id}.json`, `${kept.id}.part`]);

    await writeFile(join(folder, "7b0c2a44-3f0e-4f57-9df5-5d2f1f1c9a11.part"), "bytes without facts");
    await writeFile(join(folder, "7b0c2a44-3f0e-4f57-9df5-5d2f1f1c9a12.json"), "{ not whole");
    await writeFile(join(folder, `${kept.id}.x.tmp`), "half written");
    again();
    expect((await readdir(folder)).toSorted()).toEqual([`${kept.id}.json`, `${kept.id}.part`]);
  });
});
