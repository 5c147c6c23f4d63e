import type { AppConfig } from "~/config";
import { storeImage } from "~/features/uploads/server/store-image.server";
import type { UploadOutcome } from "~/features/uploads/upload-result";
import type { PartialUpload } from "./partial-uploads/partial-uploads.server";
import { PROBLEM_TEXTS } from "../upload-problem";
import { uploadsFor } from "./uploads.server";

type ForDesign = PartialUpload & { designId: string };
type Finishing = { config: AppConfig; sessionId: string; onlyNew: boolean };

/** Stores a complete upload as an image. Idempotent, also for parallel calls or after a crash. Keeps bytes for a retry or duplicate. */
export async function finishUpload(part: ForDesign, requested: Finishing): Promise<UploadOutcome> {
  const key = `${part.id}:${requested.onlyNew}`;
  const finishing = running.get(key);
  if (finishing) return finishing;
  const result = finishOnce(part, requested).finally(() => running.delete(key));
  running.set(key, result);
  return result;
}

const running = new Map<string, Promise<UploadOutcome>>();

async function finishOnce(part: ForDesign, { config, sessionId, onlyNew }: Finishing): Promise<UploadOutcome> {
  const { partialUploads, storageUrls } = uploadsFor(config);
  const { id, ownerId, designId, name, checksum, chosenAs } = part;
  const finished = await partialUploads.findFinished(id, ownerId);
  if (finished) return finished.outcome;
  const storageUrl = storageUrls.get(id);
  storageUrls.delete(id);
  const { name: _, ...outcome } = await storeImage(
    { index: 0, name, path: partialUploads.path(part), tooLarge: false, digest: partialUploads.digest(part) },
    { config, userId: ownerId, sessionId, designId, sending: `${ownerId}:${id}`, onlyNew, checksum, chosenAs, storageUrl },
  );
  if (!outcome.ok && outcome.damaged) await partialUploads.remove(part);
  else if (outcome.ok || (!outcome.again && !outcome.duplicateOf)) await partialUploads.finish(part, outcome);
  return !outcome.ok && outcome.soon ? { ...outcome, problem: PROBLEM_TEXTS.busy } : outcome;
}
