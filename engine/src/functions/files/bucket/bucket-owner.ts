/** Proves before any change that a bucket belongs to this copy of the deployment: other copies refer to other files. */
import { randomUUID } from "node:crypto";
import { S3Error } from "../../../s3/s3-error.ts";
import { type FileBucketMarker, readFileBucketMarker, writeFileBucketMarker } from "../../../storage/file-bucket-marker.ts";
import { StorageError } from "../../../values/errors.ts";
import type { FileBucketSettings } from "./bucket-settings.ts";
import type { BucketOwner, FileBucket } from "./file-bucket.ts";

/** A proof older than this is renewed before the bucket is changed. */
const PROVEN_FOR_MS = 60_000;

export type OwnerOptions = {
  dir: string;
  bucket: FileBucket;
  deployment: string;
  settings: Pick<FileBucketSettings, "location" | "takesOver">;
  log: (line: string) => void;
};

export type Ownership = {
  hasTakenOver: boolean;
  /** @throws {StorageError} when another copy has taken over the bucket */
  require(): Promise<void>;
  markEmpty(isEmpty: boolean): void;
};

/** Claims or compares the bucket. An unreachable one stops only the first start. @throws {StorageError} for another owner, or no access */
export async function claimBucket(options: OwnerOptions): Promise<Ownership> {
  const { dir, bucket, deployment, settings, log } = options;
  const { location, takesOver } = settings;
  const stored = readFileBucketMarker(dir);
  const instance = stored?.instance ?? randomUUID();
  const own: BucketOwner = { deployment, instance };
  let marker: FileBucketMarker = { isClaimed: false, isEmpty: true, ...stored, location, instance };
  let provenAt: number | null = null;
  let hasTakenOver = false;

  const compare = async (): Promise<void> => {
    const found = await bucket.owner();
    if (found?.instance !== instance || found.deployment !== deployment) throw refusal(location, found, own, marker);
    provenAt = performance.now();
  };

  async function claim(): Promise<void> {
    const found = await bucket.owner();
    if (found?.instance === instance) return;
    const isOther = found !== null && found.deployment !== deployment;
    if (isOther || (found !== null && !takesOver)) throw refusal(location, found, own, marker);
    // Stored first: an interrupted claim is recognised at the next start.
    writeFileBucketMarker(dir, { ...marker, isClaimed: false });
    if (!(await bucket.claim(own, { isFirst: found === null }))) await compare();
    // A copy that takes over may have files in the bucket.
    marker = { ...marker, isEmpty: found === null };
    hasTakenOver = found !== null;
    if (hasTakenOver) log(`The files in ${location} now belong to this copy of the deployment. Remove FILES_S3_TAKE_OVER.`);
  }

  try {
    if (stored?.isClaimed && !(takesOver && (await isOtherCopy(bucket, own)))) await compare();
    else await claim();
    provenAt = performance.now();
  } catch (error) {
    if (!(error instanceof S3Error)) throw error;
    if (!stored?.isClaimed || !isTemporary(error))
      throw new StorageError(`FILES_S3_LOCATION is ${location}, which cannot be used, because ${error.reason}.`, error);
    log(`${location} cannot be used now, because ${error.reason}. Only files in the cache can be read.`);
  }
  if (provenAt !== null) {
    marker = { ...marker, isClaimed: true };
    writeFileBucketMarker(dir, marker);
  }

  return {
    hasTakenOver,
    async require() {
      if (provenAt === null || performance.now() - provenAt > PROVEN_FOR_MS) await compare();
    },
    markEmpty(isEmpty) {
      if (marker.isEmpty === isEmpty) return;
      marker = { ...marker, isEmpty };
      writeFileBucketMarker(dir, marker);
    },
  };
}

async function isOtherCopy(bucket: FileBucket, own: BucketOwner): Promise<boolean> {
  const found = await bucket.owner();
  return found !== null && found.deployment === own.deployment && found.instance !== own.instance;
}

function refusal(location: string, found: BucketOwner | null, own: BucketOwner, { isClaimed }: FileBucketMarker): StorageError {
  if (found === null)
    return new StorageError(
      `${location} does not have the files of this deployment: deployment.json is missing. Set FILES_S3_LOCATION to the right bucket and prefix.`,
    );
  if (found.deployment !== own.deployment)
    return new StorageError(
      `${location} has the files of another deployment. Set FILES_S3_LOCATION to ${isClaimed ? "the right bucket and prefix" : "another prefix"}.`,
    );
  return new StorageError(
    `Another copy of this deployment uses the files in ${location}, or this one was restored from a backup. If the other copy is permanently stopped, set FILES_S3_TAKE_OVER=true for one start. Otherwise set FILES_S3_LOCATION to another prefix.`,
  );
}

const isTemporary = ({ status }: S3Error): boolean => status === null || status === 429 || status >= 500;
