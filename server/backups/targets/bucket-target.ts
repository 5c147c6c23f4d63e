import { createHash } from "node:crypto";
import { hostname } from "node:os";
import { basename } from "node:path";
import { s3Client } from "@atelier/engine/s3-client";
import { S3Error } from "@atelier/engine/s3-error";
import { parseBucket, type S3Settings } from "@atelier/engine/s3-settings";
import { abortAbandoned, PART_BYTES, putObject } from "@atelier/engine/s3-upload";
import { leaseBucket } from "./bucket-lease.ts";
import { MissingError, type Target } from "./target.ts";
import { workFolder } from "./work-folder.ts";

export type BucketOptions = {
  location: string;
  s3: S3Settings;
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
        await abortAbandoned(client, `${prefix}objects/`);
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
      await putObject(client, keyOf(name), content, { partBytes });
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
