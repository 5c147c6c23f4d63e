import { DetailedError, Upload } from "tus-js-client";
import { isUploadProblem, type UploadProblem } from "../../upload-problem";
import { BATCH_FIELDS, type BatchAnswer, type UploadOutcome } from "../../upload-result";
import { createChunkSize } from "./chunk-size";
import { createLineSpeed } from "./line-speed";
import { NotSent, type Transport } from "./transport";

const VERSION = "1.0.0";
/** Header with the bytes of a chunk that a proxy rejected. It is sent with later chunks. */
const REJECTED = "Upload-Rejected-Size";

/** Smaller files are sent in the request that announces them, larger ones only after the server accepts. */
const WITH_ANNOUNCEMENT = 256 * 1024;

const chunkSize = createChunkSize();
const lineSpeed = createLineSpeed();
/** The chunk size can be halved four times. After each accepted chunk, the retries start again. */
const CHUNK_RETRIES = [0, 0, 0, 0];

export const tusTransport: Transport = {
  isFastFor: (bytes) => lineSpeed.isFastFor(bytes),

  send: ({ file, url, metadata, signal, onUrl, onProgress }) =>
    new Promise((resolve, reject) => {
      let chunk = { bytes: 0, sentAt: 0 };
      const upload = new Upload(file, {
        chunkSize: chunkSize.bytes(),
        onBeforeRequest(request) {
          if (request.getMethod() !== "PATCH") return;
          const { chunkSize: full = Infinity } = upload.options;
          chunk = { bytes: Math.min(full, file.size - Number(request.getHeader("Upload-Offset"))), sentAt: performance.now() };
          const rejected = chunkSize.rejected();
          if (rejected !== null && chunk.bytes === full) request.setHeader(REJECTED, String(rejected));
        },
        onAfterResponse(request, response) {
          const isOk = response.getStatus() < 300;
          if (isOk) chunkSize.limitTo(readLimit(response.getHeader("Upload-Limit")));
          if (isOk && request.getMethod() === "PATCH") {
            const ms = performance.now() - chunk.sentAt;
            chunkSize.accepted(chunk.bytes, ms);
            lineSpeed.record(chunk.bytes, ms);
          }
          upload.options.chunkSize = chunkSize.bytes();
        },
        // Retries only chunks that a proxy rejected, as smaller ones. `UploadOutcomes` retries and shows other failures.
        retryDelays: CHUNK_RETRIES,
        onShouldRetry(error) {
          const { status, answer } = asNotSent(error);
          if (error.originalRequest.getMethod() !== "PATCH" || answer || !(status === 408 || status === 413)) return false;
          const isSmaller = chunkSize.shrink(status, chunk.bytes);
          upload.options.chunkSize = chunkSize.bytes();
          return isSmaller;
        },
        endpoint: new URL("/uploads", location.href).href,
        uploadUrl: url === null ? null : new URL(url, location.href).href,
        metadata,
        uploadDataDuringCreation: file.size <= WITH_ANNOUNCEMENT,
        storeFingerprintForResuming: false,
        onUploadUrlAvailable() {
          if (upload.url !== null) onUrl(new URL(upload.url).pathname);
        },
        onProgress,
        onSuccess: () => resolve(),
        onError: (error) => reject(asNotSent(error)),
      });
      signal.addEventListener("abort", () => {
        void upload.abort();
        reject(signal.reason);
      });
      if (!signal.aborted) upload.start();
    }),

  async hasArrived(url) {
    const response = await fetch(url, { method: "HEAD", headers: { "Tus-Resumable": VERSION } }).catch(() => {
      throw new NotSent(null, null);
    });
    if (response.status === 404) return false;
    const offset = response.headers.get("Upload-Offset");
    // A response without this header comes from a proxy.
    if (!response.ok || offset === null) throw new NotSent(response.status, null);
    return offset === response.headers.get("Upload-Length");
  },

  async finish(url, anyway, signal) {
    const response = await fetch(`${url}/finish${anyway ? "?anyway=1" : ""}`, { method: "POST", signal }).catch((error: unknown) => {
      throw signal.aborted ? error : new NotSent(null, null);
    });
    const answer: unknown = await response.json().catch(() => null);
    if (response.ok && isUploadOutcome(answer)) return answer;
    throw new NotSent(response.status, isUploadProblem(answer) ? answer : null);
  },

  discard(url) {
    fetch(url, { method: "DELETE", headers: { "Tus-Resumable": VERSION }, keepalive: true }).catch(() => {});
  },

  async sendBatch(designId, files) {
    const form = new FormData();
    for (const { entry } of files) form.append(BATCH_FIELDS.entry, JSON.stringify(entry));
    for (const { file } of files) form.append(BATCH_FIELDS.files, file, "file");
    const address = `/uploads/batch?${new URLSearchParams({ design: designId })}`;
    const response = await fetch(address, { method: "POST", body: form }).catch(() => {
      throw new NotSent(null, null);
    });
    const answer: unknown = await response.json().catch(() => null);
    if (response.ok && isBatchAnswer(answer)) return answer.outcomes;
    throw new NotSent(response.status, isUploadProblem(answer) ? answer : null);
  },
};

function asNotSent(error: Error): NotSent {
  const response = error instanceof DetailedError ? error.originalResponse : null;
  return response ? new NotSent(response.getStatus(), readProblem(response.getBody())) : new NotSent(null, null);
}

/** Parses `Upload-Limit: max-append-size=1048576` (draft-ietf-httpbis-resumable-upload). */
function readLimit(header: string | undefined): number | null {
  const bytes = /\bmax-append-size=(\d+)/.exec(header ?? "")?.[1];
  return bytes === undefined ? null : Number(bytes);
}

function readProblem(text: string | undefined): UploadProblem | null {
  try {
    const body: unknown = JSON.parse(text ?? "");
    return isUploadProblem(body) ? body : null;
  } catch {
    return null;
  }
}

function isUploadOutcome(answer: unknown): answer is UploadOutcome {
  return typeof answer === "object" && answer !== null && "ok" in answer && typeof answer.ok === "boolean";
}

function isBatchAnswer(answer: unknown): answer is BatchAnswer {
  return typeof answer === "object" && answer !== null && "outcomes" in answer && Array.isArray(answer.outcomes);
}
