import * as z from "zod";
import type { FileBucketSettings } from "@atelier/engine/file-bucket-settings";
import { readCommandSettings } from "./read-command-settings.ts";
import { fileSettings } from "./settings.ts";

const fileSchema = z.object(fileSettings);

type FileSettings = z.infer<typeof fileSchema>;

/** Reads the settings that commands need to read stored files. Returns null without a bucket. Throws `ConfigError`. */
export const readFileBucket = async (env: NodeJS.ProcessEnv): Promise<FileBucketSettings | null> =>
  fileBucketOf(await readCommandSettings(env, fileSchema, async (set) => missingFileKeys(set)));

export const missingFileKeys = (
  set: Pick<FileSettings, "FILES_S3_LOCATION" | "FILES_S3_ACCESS_KEY_ID" | "FILES_S3_SECRET_ACCESS_KEY">,
): string[] =>
  set.FILES_S3_LOCATION === undefined
    ? []
    : (["FILES_S3_ACCESS_KEY_ID", "FILES_S3_SECRET_ACCESS_KEY"] as const)
        .filter((name) => set[name] === undefined)
        .map((name) => `${name} is missing: FILES_S3_LOCATION requires it`);

export function fileBucketOf(set: FileSettings): FileBucketSettings | null {
  const { FILES_S3_LOCATION: location, FILES_S3_ACCESS_KEY_ID: accessKeyId, FILES_S3_SECRET_ACCESS_KEY: secretAccessKey } = set;
  if (location === undefined || accessKeyId === undefined || secretAccessKey === undefined) return null;
  const { FILES_S3_REGION: region, FILES_S3_PATH_STYLE: pathStyle } = set;
  const endpoint = new URL(set.FILES_S3_ENDPOINT ?? `https://s3.${region}.amazonaws.com`).origin;
  return {
    location,
    s3: { endpoint, region, accessKeyId, secretAccessKey, pathStyle },
    cacheBytes: set.FILES_S3_CACHE_BYTES,
    movesBack: set.FILES_S3_MOVE_BACK,
    takesOver: set.FILES_S3_TAKE_OVER,
  };
}
