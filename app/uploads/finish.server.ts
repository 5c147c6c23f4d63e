import type { AppConfig } from "~/config";
import { keep } from "~/images/keep.server";
import type { UploadResult } from "~/images/upload";
import type { Part } from "./parts.server";
import { TEXTS } from "./problem";
import { uploadsFor } from "./uploads.server";

type Finishing = { config: AppConfig; sessionId: string; onlyNew: boolean };

/**
 * Makes a part that has come whole an image, or says in its result why not. It may be asked as often as somebody likes, by two tabs at once
 * and after the server was killed in the middle: one upload makes one image, and who asks later is told the same. What may be tried again,
 * and a picture that the design has already, stay here; all else is decided once. Throws what `keep` throws.
 */
export async function finishUpload(part: Part, asked: Finishing): Promise<UploadResult> {
  const key = `${part.id}:${asked.onlyNew}`;
  const known = running.get(key);
  if (known) return known;
  const result = finishOnce(part, asked).finally(() => running.delete(key));
  running.set(key, result);
  return result;
}

const running = new Map<string, Promise<UploadResult>>();

async function finishOnce(part: Part, { config, sessionId, onlyNew }: Finishing): Promise<UploadResult> {
  const { parts } = uploadsFor(config);
  const { id, ownerId, designId, name, checksum } = part;
  // Another asker may have finished it since this one looked.
  const outcome = parts.find(id, ownerId)?.outcome ?? part.outcome;
  if (outcome) return outcome;
  const result = await keep(
    { index: 0, name, path: parts.path(part), tooLarge: false, digest: parts.digest(part) },
    { config, sessionId, designId, sending: `${ownerId}:${id}`, onlyNew, checksum },
  );
  if (!result.ok && result.damaged) await parts.remove(part);
  else if (result.ok || (!result.again && !result.duplicateOf)) await parts.finish(part, result);
  // Unlike a form's file, this one is still here.
  return !result.ok && result.soon ? { ...result, problem: TEXTS.busy } : result;
}
