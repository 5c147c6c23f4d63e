import { IDBFactory } from "fake-indexeddb";
import "fake-indexeddb/auto";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { eraseUploads, legacyKey, mayHaveUploads } from "./upload-database";
import { openUploadQueue, type UploadQueue } from "./upload-queue";

const DAY_MS = 24 * 60 * 60_000;

const file = (name: string, size = 10) => new File(["x".repeat(size)], name, { type: "image/png", lastModified: 7 });

class Locks {
  held = new Set<string>();
  request(name: string, run: () => Promise<unknown>) {
    this.held.add(name);
    return run();
  }
  query = () => Promise.resolve({ held: [...this.held].map((name) => ({ name })) });
  close = (queue: UploadQueue) => this.held.forEach((name) => name.endsWith(queue.tab) && this.held.delete(name));
}

describe("upload queue", () => {
  let locks: Locks;
  let stored: Map<string, string>;
  let count = 0;

  beforeEach(() => {
    vi.stubGlobal("indexedDB", new IDBFactory());
    locks = new Locks();
    vi.stubGlobal("navigator", { locks });
    stored = new Map();
    vi.stubGlobal("localStorage", {
      getItem: (key: string) => stored.get(key) ?? null,
      removeItem: (key: string) => void stored.delete(key),
    });
  });

  const describeFile = (queue: UploadQueue, { name, size, type, lastModified: modified }: File, at: number) => {
    const index = ++count;
    const place = { designId: "d", designName: "Cover", batch: "b", index };
    const state = { url: null, paused: false, isStored: false, handle: null };
    return { ...place, ...state, id: String(index), userId: queue.userId, tab: queue.tab, name, size, type, modified, at };
  };
  const add = (queue: UploadQueue, files: File[], at = Date.now()) =>
    queue.add(
      files.map((each) => describeFile(queue, each, at)),
      files,
    );
  const reopened = async (queue: UploadQueue, options?: Parameters<typeof openUploadQueue>[1], userId = queue.userId) => {
    locks.close(queue);
    const next = openUploadQueue(userId, options);
    return { next, ...(await next.takeOver()) };
  };
  const read = async (queue: UploadQueue, id = "") => (await queue.read(id))?.text() ?? null;
  const contents = async (queue: UploadQueue, ids: string[]) => Promise.all(ids.map((id) => read(queue, id)));
  const lastIds = (files: number) => Array.from({ length: files }, (_, index) => String(count - files + index + 1));
  const whenStored = async (queue: UploadQueue, files: number) => {
    await expect.poll(() => contents(queue, lastIds(files))).not.toContain(null);
  };

  it("returns files with their contents after the document was closed", { tags: "@upload-queue-survives-reload" }, async () => {
    const queue = openUploadQueue("ada");
    add(queue, [file("b.png"), file("a.png")]);
    await whenStored(queue, 2);
    queue.change(String(count), { url: "/uploads/a" });
    const { next, uploads, isExclusive } = await reopened(queue);
    expect([isExclusive, uploads.map(({ name, url, isStored }) => [name, url, isStored])]).toEqual([
      true,
      [
        ["b.png", null, true],
        ["a.png", "/uploads/a", true],
      ],
    ]);
    expect(await read(next, uploads[0]?.id)).toBe("xxxxxxxxxx");
    for (const { id } of uploads) next.remove(id);
    expect(await contents(next, lastIds(2))).toEqual([null, null]);
    expect((await reopened(next)).uploads).toEqual([]);
    expect(await mayHaveUploads("ada")).toBe(false);
  });

  it("does not take over the uploads of open documents", async () => {
    const open = openUploadQueue("ada");
    add(open, [file("a.png")]);
    await whenStored(open, 1);
    expect((await openUploadQueue("ada").takeOver()).uploads).toEqual([]);
    expect((await reopened(open)).uploads).toHaveLength(1);
  });

  it("returns uploads as not exclusive on plain http, which has no locks", async () => {
    vi.stubGlobal("navigator", {});
    const queue = openUploadQueue("ada");
    add(queue, [file("a.png")]);
    await whenStored(queue, 1);
    expect(await reopened(queue)).toMatchObject({ isExclusive: false, uploads: [{ name: "a.png" }] });
  });

  it("deletes uploads of other accounts and those older than 7 days", async () => {
    const queue = openUploadQueue("ada");
    add(queue, [file("old.png")], Date.now() - 7 * DAY_MS - 1);
    add(queue, [file("new.png")], Date.now() - 6 * DAY_MS);
    await whenStored(queue, 2);
    const { next, uploads } = await reopened(queue);
    expect(uploads.map(({ name }) => name)).toEqual(["new.png"]);
    const id = uploads[0]?.id;
    const other = await reopened(next, {}, "eve");
    expect([other.uploads, await read(other.next, id)]).toEqual([[], null]);
    expect((await reopened(other.next, {}, "ada")).uploads).toEqual([]);
  });

  it("deletes files that finish together in one transaction per store", async () => {
    const queue = openUploadQueue("ada");
    add(queue, [file("a.png"), file("b.png"), file("c.png")]);
    await whenStored(queue, 3);
    const transaction = vi.spyOn(IDBDatabase.prototype, "transaction");
    for (const id of lastIds(3)) queue.remove(id);
    expect(await read(queue, lastIds(1)[0])).toBeNull();
    expect(transaction.mock.calls.filter(([, mode]) => mode === "readwrite")).toHaveLength(2);
    transaction.mockRestore();
  });

  it("stores the last contents up to a limit, and more once others are finished", async () => {
    const queue = openUploadQueue("ada", { storedBytes: 25 });
    add(queue, [file("a.png"), file("b.png"), file("c.png")]);
    const ids = lastIds(3);
    await expect.poll(() => contents(queue, ids)).toEqual([null, "xxxxxxxxxx", "xxxxxxxxxx"]);
    queue.remove(ids[2] ?? "");
    await expect.poll(() => contents(queue, ids)).toEqual(["xxxxxxxxxx", "xxxxxxxxxx", null]);
    const { uploads } = await reopened(queue, { storedBytes: 25 });
    expect(uploads.map(({ name, isStored }) => [name, isStored])).toEqual([
      ["a.png", true],
      ["b.png", true],
    ]);
  });

  it("copies contents for a quarter of the time", async () => {
    let time = Date.now();
    const pauses: number[] = [];
    const pause = async (ms: number) => void pauses.push(ms);
    const queue = openUploadQueue("ada", { now: () => (time += 100), pause });
    add(
      queue,
      Array.from({ length: 120 }, (_, index) => file(`${index}.png`)),
    );
    await whenStored(queue, 120);
    expect(pauses).toEqual([300, 300]);
  });

  it("stores the names of files whose contents do not fit", async () => {
    // oxlint-disable-next-line typescript/unbound-method -- called with its store
    const put = IDBObjectStore.prototype.put;
    vi.spyOn(IDBObjectStore.prototype, "put").mockImplementation(function (this: IDBObjectStore, value, key) {
      if (this.name === "contents" && value instanceof File && value.name === "b.png") throw new DOMException("Full", "QuotaExceededError");
      return put.call(this, value, key);
    });
    const queue = openUploadQueue("ada");
    add(queue, [file("a.png"), file("b.png")]);
    await expect.poll(async () => (await read(queue, String(count - 1))) !== null).toBe(true);
    const { uploads } = await reopened(queue);
    expect(uploads.map(({ name, isStored }) => [name, isStored])).toEqual([
      ["a.png", true],
      ["b.png", false],
    ]);
    vi.restoreAllMocks();
  });

  it("stays empty where the browser blocks storage", async () => {
    vi.stubGlobal("indexedDB", {
      open: () => {
        throw new DOMException("The operation is insecure.", "SecurityError");
      },
    });
    const queue = openUploadQueue("ada");
    add(queue, [file("a.png")]);
    queue.change("1", { paused: true });
    queue.remove("1");
    expect([await queue.takeOver(), await queue.read("1")]).toEqual([{ uploads: [], isExclusive: true }, null]);
  });

  it("is erased in all documents", async () => {
    const queue = openUploadQueue("ada");
    add(queue, [file("a.png")]);
    await whenStored(queue, 1);
    eraseUploads();
    await expect.poll(() => mayHaveUploads("ada")).toBe(false);
    add(queue, [file("b.png")]);
    expect(await queue.read(String(count))).toBeNull();
    expect((await reopened(queue)).uploads).toEqual([]);
  });

  it("imports uploads that an earlier version stored in localStorage", async () => {
    const legacy = { url: "/uploads/x", designId: "d", designName: "Cover", name: "a.png", size: 10, modified: 7, at: Date.now() };
    stored.set(legacyKey("ada"), JSON.stringify([legacy, { url: "//evil.example" }]));
    expect(await mayHaveUploads("ada")).toBe(true);
    const { uploads } = await openUploadQueue("ada").takeOver();
    expect(uploads).toMatchObject([legacy]);
    expect(stored.size).toBe(0);
  });
});
