import { parseBucket, type S3Settings } from "../../../s3/s3-settings.ts";
import { locationOfFiles } from "../../../storage/file-bucket-marker.ts";
import { UsageError } from "../../../usage-error.ts";
import { StorageError } from "../../../values/errors.ts";

export type FileBucketSettings = {
  location: string;
  s3: S3Settings;
  cacheBytes: number;
  movesBack: boolean;
  /** Lets this copy of a deployment use the bucket that another copy used. */
  takesOver: boolean;
  timing?: { silenceMs?: number; firstPauseMs?: number; attempts?: number; idleMs?: number };
};

export const DEFAULT_CACHE_BYTES = 5_000_000_000;

/** Reads `FILES_S3_*`. Returns null without `FILES_S3_LOCATION`. @throws {UsageError} */
export function readFileBucketSettings(env: NodeJS.ProcessEnv): FileBucketSettings | null {
  const location = env["FILES_S3_LOCATION"];
  if (!location) return null;
  const needed = (name: string): string => {
    const value = env[name];
    if (!value) throw new UsageError(`${name} is missing: FILES_S3_LOCATION requires it.`);
    return value;
  };
  if (!parseBucket(location)) throw new UsageError(`FILES_S3_LOCATION must be like s3://bucket/prefix, not ${JSON.stringify(location)}.`);
  const region = env["FILES_S3_REGION"] || "us-east-1";
  const endpoint = env["FILES_S3_ENDPOINT"] || `https://s3.${region}.amazonaws.com`;
  if (!/^https?:$/.test(URL.parse(endpoint)?.protocol ?? ""))
    throw new UsageError(`FILES_S3_ENDPOINT must be an http(s) origin, not ${JSON.stringify(endpoint)}.`);
  const cacheBytes = env["FILES_S3_CACHE_BYTES"] || `${DEFAULT_CACHE_BYTES}`;
  if (!/^\d{1,15}$/.test(cacheBytes))
    throw new UsageError(`FILES_S3_CACHE_BYTES must be a number of bytes, not ${JSON.stringify(cacheBytes)}.`);
  return {
    location,
    s3: {
      endpoint: new URL(endpoint).origin,
      region,
      accessKeyId: needed("FILES_S3_ACCESS_KEY_ID"),
      secretAccessKey: needed("FILES_S3_SECRET_ACCESS_KEY"),
      pathStyle: flag(env, "FILES_S3_PATH_STYLE", true),
    },
    cacheBytes: Number(cacheBytes),
    movesBack: flag(env, "FILES_S3_MOVE_BACK", false),
    takesOver: flag(env, "FILES_S3_TAKE_OVER", false),
  };
}

function flag(env: NodeJS.ProcessEnv, name: string, standard: boolean): boolean {
  const value = env[name];
  if (!value) return standard;
  if (value !== "true" && value !== "false") throw new UsageError(`${name} must be true or false, not ${JSON.stringify(value)}.`);
  return value === "true";
}

export function fileBucketVariables({ location, s3, cacheBytes, movesBack, takesOver }: FileBucketSettings): Record<string, string> {
  return {
    FILES_S3_LOCATION: location,
    FILES_S3_ENDPOINT: s3.endpoint,
    FILES_S3_REGION: s3.region,
    FILES_S3_ACCESS_KEY_ID: s3.accessKeyId,
    FILES_S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
    FILES_S3_PATH_STYLE: String(s3.pathStyle),
    FILES_S3_CACHE_BYTES: String(cacheBytes),
    FILES_S3_MOVE_BACK: String(movesBack),
    FILES_S3_TAKE_OVER: String(takesOver),
  };
}

/** @throws {StorageError} when files are in a bucket, and there are no settings for it */
export function requireFileBucket(dir: string, settings: FileBucketSettings | null): void {
  const location = settings === null ? locationOfFiles(dir) : null;
  if (location !== null)
    throw new StorageError(
      `Stored files are in ${location}, but FILES_S3_LOCATION is missing. Set FILES_S3_* again. To move the files back to the disk, also set FILES_S3_MOVE_BACK=true.`,
    );
}
