import { type InputFolder, type InputWithMeta, type InputWithSizeMeta, makeZip } from "client-zip";
import { createConcurrencyLimit, ConcurrencyLimitError } from "~/lib/http/concurrency-limit.server";
import { attachment, fileName } from "~/features/images/serve/file-name";

export type Entry = InputWithMeta | InputWithSizeMeta | InputFolder;

const DOWNLOADS_MAX = 3;
const downloads = createConcurrencyLimit(DOWNLOADS_MAX);

type Archive = {
  name: string;
  userId: string;
  entries: (signal: AbortSignal) => AsyncIterable<Entry>;
};

/** Streams a zip file by file, so its size costs no memory. Returns 429 while the user downloads `DOWNLOADS_MAX` others. */
export function zipResponse(request: Request, { name, userId, entries }: Archive): Response {
  const headers = {
    "Content-Type": "application/zip",
    "Content-Disposition": attachment(`${fileName(name, "")}.zip`, "application/zip"),
    "Cache-Control": "private, no-store",
    "X-Content-Type-Options": "nosniff",
    // For a slow client, nginx would otherwise buffer up to 1 GiB of the archive.
    "X-Accel-Buffering": "no",
  };
  if (request.method === "HEAD") return new Response(null, { headers });
  try {
    return new Response(zip(entries, request.signal, downloads.acquire(userId)), { headers });
  } catch (error) {
    if (!(error instanceof ConcurrencyLimitError)) throw error;
    const text = `You are already downloading ${DOWNLOADS_MAX} archives. Wait until one is complete, then try again.\n`;
    return new Response(text, { status: 429, headers: { "Content-Type": "text/plain; charset=utf-8", "Retry-After": "10" } });
  }
}

function zip(entries: Archive["entries"], signal: AbortSignal, onEnd: () => void): ReadableStream<Uint8Array> {
  const abortController = new AbortController();
  const reader = makeZip(entries(AbortSignal.any([signal, abortController.signal]))).getReader();
  if (signal.aborted) onEnd();
  signal.addEventListener("abort", onEnd, { once: true });
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (!done) return controller.enqueue(value);
          controller.close();
          onEnd();
        } catch (error) {
          onEnd();
          throw error;
        }
      },
      async cancel(reason) {
        onEnd();
        abortController.abort(reason);
        await reader.cancel(reason).catch(() => undefined);
      },
    },
    { highWaterMark: 0 },
  );
}
