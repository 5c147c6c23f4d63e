/** Quarantines objects without a row for 30 days, unless there are more than a crash can leave. */
import { QUARANTINE_DAYS, strayLimit } from "../stray-files.ts";
import type { SendRequest } from "../../transactor/transactor-protocol.ts";
import type { Ownership } from "./bucket-owner.ts";
import type { FileBucket } from "./file-bucket.ts";

const NAMES_AT_ONCE = 100;
const DAY_MS = 24 * 60 * 60 * 1_000;

export type StrayObjectsOptions = {
  bucket: FileBucket;
  owner: Ownership;
  transactor: { request: SendRequest };
  log: (line: string) => void;
  signal: AbortSignal;
  acceptsLoss: boolean;
  now?: number;
};

export async function quarantineStrayObjects(options: StrayObjectsOptions): Promise<void> {
  const { bucket, owner, transactor, log, signal, acceptsLoss, now = Date.now() } = options;
  await owner.require();
  await sortQuarantine(options, now);
  let files = 0;
  const strays: string[] = [];
  for await (const names of inGroups(bucket.list())) {
    if (signal.aborted) return;
    files += names.length;
    strays.push(...(await transactor.request("strayFiles", { names })));
  }
  if (strays.length === 0 || signal.aborted) return;
  const found = `${strays.length} of ${files} objects in ${bucket.location} have no row in the database`;
  if (strays.length > strayLimit(files) && !acceptsLoss) {
    log(`${found}: too many to be left by a crash, so none was moved. If this is the wrong database, restore the right one.`);
    return;
  }
  await owner.require();
  const date = new Date(now).toISOString().slice(0, 10);
  const removed = new Set(await transactor.request("removedObjects", { limit: Infinity }));
  for (const name of strays) if (!removed.has(name)) await bucket.quarantine(name, date);
  log(`${found}: moved to its folder quarantine, where they are kept for ${QUARANTINE_DAYS} days.`);
}

async function sortQuarantine(options: StrayObjectsOptions, now: number): Promise<void> {
  const { bucket, transactor, log } = options;
  let returned = 0;
  for await (const { name, date } of bucket.listQuarantine()) {
    if (await transactor.request("findFile", { uuid: name })) {
      await bucket.restore(name, date);
      returned += 1;
    } else if (Date.parse(date) + (QUARANTINE_DAYS + 1) * DAY_MS <= now) await bucket.removeFromQuarantine(name, date);
  }
  if (returned > 0) log(`${returned} objects in quarantine have a row again: they were moved back.`);
}

async function* inGroups<T>(source: AsyncIterable<T>): AsyncGenerator<T[]> {
  let group: T[] = [];
  for await (const each of source) {
    if (group.push(each) < NAMES_AT_ONCE) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}
