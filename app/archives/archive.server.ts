import { type InputFolder, type InputWithMeta, type InputWithSizeMeta, makeZip } from "client-zip";
import { attachment, fileName } from "~/images/file-name";

/** A file or an empty folder of an archive. */
export type Entry = InputWithMeta | InputWithSizeMeta | InputFolder;

/**
 * Answers a zip archive that is written as fast as it is read, one file at a time, so that its size costs no memory. When nobody reads it any
 * more, the file that was being read is let go, and no other is asked for.
 *
 * @param name what the archive is about; it is saved under this name
 * @param entries what is in it; told by the signal that the answer is over
 */
export function zipResponse(request: Request, name: string, entries: (signal: AbortSignal) => AsyncIterable<Entry>): Response {
  const headers = {
    "Content-Type": "application/zip",
    "Content-Disposition": attachment(`${fileName(name, "")}.zip`, "application/zip"),
    "Cache-Control": "private, no-store",
    "X-Content-Type-Options": "nosniff",
  };
  return new Response(request.method === "HEAD" ? null : zip(entries, request.signal), { headers });
}

function zip(entries: (signal: AbortSignal) => AsyncIterable<Entry>, gone: AbortSignal): ReadableStream<Uint8Array> {
  const over = new AbortController();
  const reader = makeZip(entries(AbortSignal.any([gone, over.signal]))).getReader();
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      async cancel(reason) {
        over.abort(reason);
        // What the writer was waiting for now fails, which is what was wanted.
        await reader.cancel(reason).catch(() => undefined);
      },
    },
    { highWaterMark: 0 },
  );
}
