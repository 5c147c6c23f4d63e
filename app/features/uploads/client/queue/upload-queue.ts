import { type DBSchema, deleteDB, type IDBPDatabase, openDB } from "idb";
import { fileHandleOf } from "../file-selection/file-handles";
import { takeLegacyUploads } from "./legacy-uploads";
import { lockTab, openTabs } from "./open-tabs";
import { randomId } from "~/lib/random-id";
import type { QueuedUpload } from "./queued-upload";
import { UPLOAD_DATABASE } from "./upload-database";

const LIFETIME_MS = 7 * 24 * 60 * 60_000;

const STORED_BYTES = 1_000_000_000;

const BATCH = { files: 50, bytes: 16_000_000 };

/** Share of the time in which contents are copied. The rest of the time, the disk and the browser serve the uploads alone. */
const COPYING_SHARE = 0.25;

interface Schema extends DBSchema {
  files: { key: string; value: QueuedUpload };
  contents: { key: string; value: Blob };
}

type Database = IDBPDatabase<Schema>;

/** Stores the unfinished uploads of this browser. Where the browser blocks storage, the queue stays empty and no call fails. */
export type UploadQueue = {
  readonly userId: string;
  readonly tab: string;
  /** Returns closed documents' uploads in order of selection. Deletes expired and foreign ones. `isExclusive`: no other page sends them. */
  takeOver(): Promise<{ uploads: QueuedUpload[]; isExclusive: boolean }>;
  add(uploads: readonly QueuedUpload[], files: readonly File[]): void;
  change(id: string, change: Partial<Pick<QueuedUpload, "url" | "paused">>): void;
  remove(id: string): void;
  /** Returns null if the bytes are not stored, or if another document has finished the upload. */
  read(id: string): Promise<Blob | null>;
};

export function openUploadQueue(userId: string, { now = Date.now, storedBytes = STORED_BYTES, pause = wait } = {}): UploadQueue {
  const tab = randomId();
  let opening: Promise<Database | null> | null = null;
  let last: Promise<unknown> = lockTab(tab);
  let waiting: { id: string; file: File }[] = [];
  let isStoring = false;
  const sizes = new Map<string, number>();
  const removed: string[] = [];

  const database = () => (opening ??= open(stop));

  function stop(): void {
    opening = Promise.resolve(null);
  }

  function run<Result>(task: (db: Database) => Promise<Result>): Promise<Result | null> {
    const result = last.then(database).then((db) => db && task(db));
    last = result.catch(() => {});
    return result.catch(() => null);
  }

  function removeTogether(): void {
    let ids: string[] = [];
    last = last.then(() => void (ids = removed.splice(0)));
    void run(async (db) => {
      await deleteAll(db, "files", ids);
      await deleteAll(db, "contents", ids);
    });
  }

  async function storeWaiting(): Promise<void> {
    if (isStoring) return;
    isStoring = true;
    const db = await last.then(database);
    if (db) await storeBatches(db);
    isStoring = false;
  }

  async function storeBatches(db: Database): Promise<void> {
    for (let batch = takeBatch(); batch.length > 0; batch = takeBatch()) {
      const start = now();
      if (!(await store(db, batch)) && batch.length > 1) for (const each of batch) await store(db, [each]);
      if (waiting.length > 0) await pause((now() - start) * (1 / COPYING_SHARE - 1));
    }
  }

  /** Begins with the last files: the first ones are probably sent before they need to be stored. */
  function takeBatch() {
    let free = storedBytes - [...sizes.values()].reduce((sum, size) => sum + size, 0);
    let bytes = 0;
    const batch: typeof waiting = [];
    for (const each of waiting.toReversed()) {
      const { size } = each.file;
      if (batch.length === BATCH.files || (batch.length > 0 && bytes + size > BATCH.bytes)) break;
      if (size > free) continue;
      free -= size;
      bytes += size;
      batch.push(each);
    }
    waiting = waiting.filter((each) => !batch.includes(each));
    return batch;
  }

  async function deleteDatabase(db: Database): Promise<void> {
    db.close();
    opening = null;
    await deleteDB(UPLOAD_DATABASE);
  }

  async function store(db: Database, batch: typeof waiting): Promise<boolean> {
    for (const { id, file } of batch) sizes.set(id, file.size);
    try {
      await storeFiles(db, batch);
      return true;
    } catch {
      for (const { id } of batch) sizes.delete(id);
      return false;
    }
  }

  return {
    userId,
    tab,
    async takeOver() {
      const open = await openTabs();
      const found = await run(async (db) => {
        const legacy = takeLegacyUploads(userId);
        const transaction = db.transaction(["files", "contents"], "readwrite");
        const [files, contents] = [transaction.objectStore("files"), transaction.objectStore("contents")];
        for (const upload of legacy) await files.put(upload);
        const claimed: QueuedUpload[] = [];
        const uploadIds = new Set<string>();
        for (const upload of await files.getAll()) {
          if (upload.userId !== userId || upload.at < now() - LIFETIME_MS) {
            await files.delete(upload.id);
            continue;
          }
          uploadIds.add(upload.id);
          if (upload.isStored) sizes.set(upload.id, upload.size);
          if (upload.tab === tab || open?.tabs.has(upload.tab)) continue;
          claimed.push({ ...upload, tab });
          if (open) await files.put({ ...upload, tab });
        }
        for (const key of await contents.getAllKeys()) if (!uploadIds.has(key)) await contents.delete(key);
        await transaction.done;
        if (uploadIds.size === 0 && open?.isOnly(tab)) await deleteDatabase(db);
        return claimed.toSorted((a, b) => a.at - b.at || a.index - b.index);
      });
      return { uploads: found ?? [], isExclusive: open !== null };
    },
    add(uploads, files) {
      void run(async (db) => {
        const handles = await Promise.all(files.map(fileHandleOf));
        const { store, done } = db.transaction("files", "readwrite");
        await Promise.all([...uploads.map((upload, index) => store.put({ ...upload, handle: handles[index] ?? null })), done]);
      });
      waiting.push(...uploads.flatMap(({ id }, index) => (files[index] ? [{ id, file: files[index] }] : [])));
      void storeWaiting();
    },
    change(id, change) {
      void run((db) => update(db, [id], change));
    },
    remove(id) {
      waiting = waiting.filter((each) => each.id !== id);
      sizes.delete(id);
      // Removals of one task share transactions, because all files of a batch finish together.
      if (removed.push(id) === 1) removeTogether();
      if (waiting.length > 0) void storeWaiting();
    },
    read: (id) => run(async (db) => ((await db.getKey("files", id)) === undefined ? null : ((await db.get("contents", id)) ?? null))),
  };
}

const wait = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms));

async function open(onGone: () => void): Promise<Database | null> {
  try {
    const db = await openDB<Schema>(UPLOAD_DATABASE, 1, {
      upgrade(created) {
        created.createObjectStore("files", { keyPath: "id" });
        created.createObjectStore("contents");
      },
      blocking() {
        onGone();
        db.close();
      },
      terminated: onGone,
    });
    return db;
  } catch {
    return null;
  }
}

/** Uses one transaction per store. With a shared one, other writes would wait until large files are written. */
async function storeFiles(db: Database, batch: { id: string; file: File }[]): Promise<void> {
  const { store, done } = db.transaction("contents", "readwrite");
  await Promise.all([...batch.map(({ id, file }) => store.put(file, id)), done]);
  const finished = await update(
    db,
    batch.map(({ id }) => id),
    { isStored: true },
  );
  await deleteAll(db, "contents", finished);
}

async function deleteAll(db: Database, name: "files" | "contents", ids: readonly string[]): Promise<void> {
  const { store, done } = db.transaction(name, "readwrite");
  await Promise.all([...ids.map((id) => store.delete(id)), done]);
}

async function update(db: Database, ids: string[], change: Partial<QueuedUpload>): Promise<string[]> {
  const { store, done } = db.transaction("files", "readwrite");
  const missingIds: string[] = [];
  for (const id of ids) {
    const upload = await store.get(id);
    if (upload) await store.put({ ...upload, ...change });
    else missingIds.push(id);
  }
  await done;
  return missingIds;
}
