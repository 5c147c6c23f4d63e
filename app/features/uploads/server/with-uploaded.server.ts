import type { AppConfig } from "~/config";
import type { ArrivedFile } from "~/lib/http/forms/receive-multipart.server";
import { uploadsFor } from "./uploads.server";

export const EXPIRED = "The upload has expired. Choose the file again.";

type Uploaded = { config: AppConfig; userId: string; id: string; designId: string | null };

/** Passes a complete upload to `run`, then removes it unless `run` throws or requests a retry. Returns null without an upload. */
export async function withUploaded<Result>(
  { config, userId, id, designId }: Uploaded,
  run: (file: ArrivedFile, reservedBytes: number) => Promise<Result>,
  isRetryable: (result: Result) => boolean = () => false,
): Promise<Result | null> {
  const { partialUploads } = uploadsFor(config);
  const part = await partialUploads.find(id, userId);
  if (!part || part.designId !== designId || (await partialUploads.offset(part)) < part.length) return null;
  const file = { index: 0, name: part.name, path: partialUploads.path(part), tooLarge: false, digest: partialUploads.digest(part) };
  const result = await run(file, part.length);
  if (!isRetryable(result)) await partialUploads.remove(part);
  return result;
}
