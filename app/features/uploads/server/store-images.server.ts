import { api } from "#convex/_generated/api";
import { serviceConvex } from "~/features/accounts/session/convex/service-client.server";
import { refusalOf } from "~/lib/data/error-responses";
import type { ArrivedFile } from "~/lib/http/forms/receive-multipart.server";
import { metrics } from "~/lib/http/telemetry/metrics.server";
import { Unavailable } from "~/lib/http/unavailable.server";
import type { UploadResult } from "../upload-result";
import { checkImage, type ImageProperties, resultOf, storeBytes, storeImage, type UploadContext } from "./store-image.server";

export type BatchFile = ArrivedFile & Pick<UploadContext, "sending" | "onlyNew" | "checksum" | "chosenAs">;

type Batch = Pick<UploadContext, "config" | "userId" | "designId" | "maxFileBytes"> & { sessionId: string; reserved: number };

/** Stores files together, so that open pages update once, or one by one after a rejection. Throws like `storeImage`. */
export async function storeImages(files: BatchFile[], batch: Batch): Promise<UploadResult[]> {
  try {
    return await storeTogether(files, batch);
  } catch (error) {
    if (!refusalOf(error)) return Promise.all(files.map((file) => resultOf(error, file, batch.config)));
    const results: UploadResult[] = [];
    for (const { sending, onlyNew = false, checksum = null, chosenAs, ...file } of files)
      results.push(await storeImage(file, { ...batch, sending, onlyNew, checksum, chosenAs }));
    return results;
  }
}

async function storeTogether(files: BatchFile[], batch: Batch): Promise<UploadResult[]> {
  const checked = [];
  for (const file of files) checked.push({ file, ...(await checkImage(file, { ...batch, checksum: file.checksum ?? null })) });
  const accepted = checked.flatMap((each) => ("properties" in each ? [each] : []));
  const ids = accepted.length > 0 ? await store(accepted, batch) : [];
  const imageIds = new Map(accepted.map(({ file }, index) => [file, ids[index]]));
  return checked.map((each): UploadResult => {
    const imageId = imageIds.get(each.file);
    const result = "refused" in each ? each.refused : imageId === undefined ? null : ({ name: each.file.name, ok: true, imageId } as const);
    if (!result) throw new Error("The deployment returned too few images");
    metrics.uploads.inc({ outcome: result.ok ? "kept" : "refused" });
    if ("properties" in each) metrics.uploadedBytes.inc(each.properties.size);
    return result;
  });
}

async function store(accepted: { file: BatchFile; properties: ImageProperties }[], batch: Batch): Promise<string[]> {
  const { config, sessionId, designId, reserved } = batch;
  const quota = config.storageQuotaBytes;
  const convex = serviceConvex(config);
  const uploads = accepted.map(({ file, properties }) => ({ file, properties, uploadId: `${file.sending}:${properties.checksum}` }));
  const urls = await convex.mutation(
    api.uploads.generateUploadUrls,
    {
      sessionId,
      designId,
      quota,
      reserved,
      files: uploads.map(({ file, properties, uploadId }) => ({
        uploadId,
        bytes: properties.size,
        ...(file.onlyNew && { unlessThere: properties.checksum }),
      })),
    },
    { skipQueue: true },
  );
  const storing = uploads.map(async ({ file, properties }, index) => {
    const url = urls[index];
    if (url === undefined) throw new Error("The deployment returned too few URLs");
    return storeBytes(config, url, file.path, properties);
  });
  const stored = await Promise.allSettled(storing);
  try {
    const storageIds = await Promise.all(storing);
    const images = uploads.map(({ file, properties, uploadId }, index) => ({
      ...properties,
      uploadId,
      storageId: storageIds[index] ?? missing(),
      name: file.name,
      onlyNew: file.onlyNew ?? false,
      ...(file.chosenAs && { chosenAs: file.chosenAs }),
    }));
    const finalize = () => convex.mutation(api.uploads.finalizeMany, { sessionId, designId, quota, files: images }, { skipQueue: true });
    return await finalize().catch((error: unknown) => {
      if (error instanceof Unavailable) return finalize();
      throw error;
    });
  } catch (error) {
    for (const each of stored)
      if (each.status === "fulfilled")
        await convex.mutation(api.uploads.discard, { storageId: each.value }, { skipQueue: true }).catch(() => {});
    throw error;
  }
}

function missing(): never {
  throw new Error("A file was not stored");
}
