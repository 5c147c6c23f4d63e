import { rename, rm } from "node:fs/promises";
import type { RouterContextProvider } from "react-router";
import * as z from "zod";
import { getVisitor, type Visitor } from "~/features/accounts/session/session.server";
import { imageServiceFor } from "~/features/images/serve/image-service.server";
import type { AppConfig } from "~/config";
import { configContext } from "~/lib/http/context";
import { InvalidForm } from "~/lib/http/forms/form-parser.server";
import { receiveMultipart } from "~/lib/http/forms/receive-multipart.server";
import { PROBLEM_TEXTS } from "../upload-problem";
import {
  type BatchAnswer,
  type BatchEntry,
  BATCH_FIELDS,
  BATCH_MAX_FILE_BYTES,
  BATCH_MAX_FILES,
  type UploadOutcome,
} from "../upload-result";
import { storageOwnerOf } from "./storage-owner.server";
import { type BatchFile, storeImages } from "./store-images.server";
import { answerFor, COMMON_HEADERS, notAllowed, refuse } from "./upload-answers.server";
import { uploadsFor } from "./uploads.server";

const SILENCE_MS = 60_000;

/** Adds several small files to the design in `?design=` with one request. Idempotent by the entries' keys. */
export async function answerBatch(request: Request, context: Readonly<RouterContextProvider>): Promise<Response> {
  if (request.method !== "POST") return notAllowed("POST");
  const visitor = await getVisitor(context);
  if (!visitor) return refuse(401, { problem: PROBLEM_TEXTS.signedOut });
  const designId = new URL(request.url).searchParams.get("design") ?? "";
  try {
    const outcomes = await receiveBatch(request, designId, visitor, context.get(configContext));
    return Response.json({ outcomes } satisfies BatchAnswer, { headers: COMMON_HEADERS });
  } catch (error) {
    return answerFor(error);
  }
}

async function receiveBatch(
  request: Request,
  designId: string,
  { userId, sessionId }: Visitor,
  config: AppConfig,
): Promise<UploadOutcome[]> {
  const storageOwnerId = await storageOwnerOf({ config, sessionId, designId });
  const { partialUploads, concurrencyLimit } = uploadsFor(config);
  const { newPath } = imageServiceFor(config);
  const limits = {
    names: Object.values(BATCH_FIELDS),
    maxFileBytes: Math.min(BATCH_MAX_FILE_BYTES, config.uploadMaxBytes),
    maxFiles: BATCH_MAX_FILES,
    silenceMs: SILENCE_MS,
  };
  const entries: string[] = [];
  const files: BatchFile[] = [];
  try {
    return await concurrencyLimit.hold(userId, async () => {
      const { tooMany } = await receiveMultipart(request, limits, {
        newPath,
        onField: (_name, value) => void entries.push(value),
        async onFile(file) {
          const entry = entries[file.index];
          if (!entry) throw new InvalidForm("A file has no entry");
          const { key, name, checksum, anyway, chosenAs } = readEntry(entry);
          const path = newPath();
          await rename(file.path, path);
          files.push({ ...file, name, path, sending: `${userId}:${key}`, onlyNew: !anyway, checksum, chosenAs: chosenAs ?? undefined });
        },
      });
      if (tooMany || files.length !== entries.length) throw new InvalidForm("The numbers of files and entries differ");
      const reserved = await partialUploads.reserved(storageOwnerId);
      const results = await storeImages(files, { config, userId, sessionId, designId, reserved, maxFileBytes: limits.maxFileBytes });
      return results.map((outcome) => (!outcome.ok && outcome.soon ? { ...outcome, problem: PROBLEM_TEXTS.busy } : outcome));
    });
  } finally {
    for (const { path } of files) await rm(path, { force: true });
  }
}

const entrySchema = z.object({
  key: z.string().regex(/^[\w-]{8,64}$/),
  name: z.string().max(1000),
  checksum: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullable(),
  anyway: z.boolean(),
  chosenAs: z.object({ batch: z.string().max(40), index: z.int().nonnegative() }).nullable(),
}) satisfies z.ZodType<BatchEntry>;

function readEntry(text: string): BatchEntry {
  try {
    return entrySchema.parse(JSON.parse(text));
  } catch (cause) {
    throw new InvalidForm("An entry is invalid", { cause });
  }
}
