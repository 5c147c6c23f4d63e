import { createHash } from "node:crypto";
import { hostname } from "node:os";
import { basename } from "node:path";
import { type Part, s3Client, type S3Client } from "../../s3/s3-client.ts";
import { S3Error } from "../../s3/s3-error.ts";
import { parseBucket, type S3Settings } from "../../s3/s3-settings.ts";
import { leaseBucket } from "./bucket-lease.ts";
import { inParts } from "./in-parts.ts";
import { MissingError, type Target } from "./target.ts";
import { workFolder } from "./work-folder.ts";

/** Objects above this size are stored in parts. Two parts are in memory. */
const PART_BYTES = 8 * 1024 * 1024;
const ABANDONED_AFTER_MS = 7 * 24 * 60 * 60_000;

export type BucketOptions = {
  /** `s3://bucket/prefix` */
  location: string;
  s3: S3Settings;
  /** A folder on this machine for the test of a backup, which is created and removed. */
  workDir: string;
  partBytes?: number;
  silenceMs?: number;
  firstPauseMs?: number;
};

/** Stores backups in a bucket of an S3-compatible service. Throws `S3Error`. */
export function bucketTarget({ location, s3, workDir, partBytes = PART_BYTES, ...timing }: BucketOptions): Target {
  const parsed = parseBucket(location);
  if (!parsed) throw new Error(`${location} is no bucket; expected s3://bucket/prefix.`);
  const { bucket, prefix } = parsed;
  const client = s3Client({ ...s3, ...timing, bucket });
  const keyOf = (name: string) => prefix + name;
  const describe = (name: string) => `s3://${bucket}/${prefix}${name}`;
  const work = workFolder(workDir);
  let requireLease = (): void => {};

  return {
    scratch: work.scratch,
    isStaged: true,
    async lock() {
      const unlock = await work.lock();
      try {
        // The first request, because an answer to the HEAD of the lease would not name the reason of a failure.
        await abortAbandoned(client, prefix);
        const owner = createHash("sha256").update(`${hostname()}\n${workDir}`).digest("hex").slice(0, 16);
        const lease = await leaseBucket(client, { key: keyOf("lock"), owner, what: describe("") });
        requireLease = () => lease.require();
        return async () => {
          await lease.release();
          await unlock();
        };
      } catch (error) {
        await unlock();
        throw error;
      }
    },
    async list(folder) {
      const found = new Map<string, number>();
      for await (const { key, size } of client.list(`${keyOf(folder)}/`)) found.set(key.slice(prefix.length), size);
      return found;
    },
    async *read(name) {
      try {
        yield* client.read(keyOf(name));
      } catch (error) {
        if (error instanceof S3Error && error.code === "NoSuchKey")
          throw new MissingError(`${describe(name)} is missing`, { cause: error });
        throw error;
      }
    },
    async write(name, content) {
      requireLease();
      const parts = inParts(content, partBytes);
      const first = await parts.next();
      const second = await parts.next();
      const start = first.value ?? Buffer.alloc(0);
      if (second.done) await client.put(keyOf(name), start);
      else await putInParts(client, keyOf(name), [start, second.value], parts);
    },
    async flush() {},
    async remove(name) {
      requireLease();
      await client.remove(keyOf(name));
    },
    async setAside(name) {
      requireLease();
      try {
        await client.copy(keyOf(name), keyOf(`damaged/${basename(name)}`));
      } catch (error) {
        if (error instanceof S3Error && error.code === "NoSuchKey") return;
        throw error;
      }
      await client.remove(keyOf(name));
    },
    describe,
    localFile: () => null,
  };
}

/** Continues an interrupted upload of the same object: parts that are stored are not sent again. */
async function putInParts(
  client: S3Client,
  key: string,
  first: Buffer<ArrayBuffer>[],
  rest: AsyncIterable<Buffer<ArrayBuffer>>,
): Promise<void> {
  const earlier = (await client.listUploads(key)).find((upload) => upload.key === key);
  const id = earlier?.id ?? (await client.createUpload(key));
  const stored = new Map(earlier && (await client.listParts(key, id)).map((part) => [part.number, part]));
  const parts: Part[] = [];
  let size = 0;
  try {
    for await (const body of chained(first, rest)) {
      const number = parts.length + 1;
      const known = stored.get(number);
      const isStored = known?.size === body.length && known.etag.replaceAll('"', "") === createHash("md5").update(body).digest("hex");
      parts.push(isStored && known ? known : await client.uploadPart(key, id, number, body));
      size += body.length;
    }
    await client.completeUpload(key, id, parts, size);
  } catch (error) {
    // After a failed request, the next backup continues. Wrong content must not be continued.
    if (!(error instanceof S3Error)) await client.abortUpload(key, id).catch(() => undefined);
    throw error;
  }
}

async function* chained<T>(first: Iterable<T>, rest: AsyncIterable<T>): AsyncGenerator<T> {
  yield* first;
  yield* rest;
}

/** Aborts old incomplete uploads, because services charge for their parts. */
async function abortAbandoned(client: S3Client, prefix: string): Promise<void> {
  for (const { key, id, initiated } of await client.listUploads(`${prefix}objects/`))
    if (Date.now() - initiated.getTime() > ABANDONED_AFTER_MS) await client.abortUpload(key, id);
}
