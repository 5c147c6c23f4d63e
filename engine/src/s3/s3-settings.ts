/** Access to a bucket. `endpoint`: origin of the service. With `pathStyle`, the bucket is in the path instead of the host name. */
export type S3Settings = {
  endpoint: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  pathStyle: boolean;
};

const LOCATION = /^s3:\/\/([a-z\d][a-z\d.-]{1,61}[a-z\d])((?:\/(?!\.{1,2}(?:\/|$))[\w.-]+)*)\/?$/;

export const isBucket = (location: string): boolean => location.startsWith("s3://");

/** Parses `s3://bucket/prefix`. `prefix` is empty or ends with "/". Returns null for an invalid location. */
export function parseBucket(location: string): { bucket: string; prefix: string } | null {
  const [, bucket, path = ""] = LOCATION.exec(location) ?? [];
  return bucket === undefined ? null : { bucket, prefix: path === "" ? "" : `${path.slice(1)}/` };
}
