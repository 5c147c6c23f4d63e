import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { basename } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";
import type { BusboyFileStream } from "@fastify/busboy";
import { asDiskFull } from "~/lib/http/disk-full.server";
import { createFormParser, InvalidForm } from "~/lib/http/forms/form-parser.server";

export type ArrivedFile = {
  index: number;
  name: string;
  path: string;
  tooLarge: boolean;
  /** SHA-256 in hexadecimal; null if it was not computed during the transfer. */
  digest: string | null;
};

export type ReceiveLimits = {
  names: readonly string[];
  maxFileBytes: number;
  maxFiles: number;
  silenceMs: number;
  maxFieldBytes?: number;
};

/** The connection was lost or silent. Complete files have been passed on. */
export class UploadAborted extends Error {
  override name = "UploadAborted";
}

export type Received<Result> = { results: Result[]; tooMany: boolean };

/** Passes each complete file to `onFile`, then deletes it. Throws `DiskFull` at once; `InvalidForm` and other errors at the end. */
export async function receiveMultipart<Result>(
  request: Request,
  limits: ReceiveLimits,
  {
    newPath,
    onField = () => {},
    onFile,
  }: { newPath: () => string; onField?: (name: string, value: string) => void; onFile: (file: ArrivedFile) => Promise<Result> },
): Promise<Received<Result>> {
  const contentType = request.headers.get("Content-Type") ?? "";
  if (!request.body || !/^multipart\/form-data\s*;/i.test(contentType)) throw new InvalidForm("Not multipart/form-data");

  const { names, maxFileBytes, maxFiles, silenceMs, maxFieldBytes = 1024 } = limits;
  const parser = createFormParser(
    contentType,
    { fileSize: maxFileBytes, files: maxFiles, fields: 20, fieldSize: maxFieldBytes, parts: maxFiles + 20 },
    names,
  );
  const files: Promise<Result>[] = [];
  const arriving = new Set<BusboyFileStream>();
  const stop = new AbortController();
  let before: Promise<unknown> = Promise.resolve();
  let tooMany = false;
  parser.on("field", (name, value) => onField(name, value));
  parser.on("filesLimit", () => (tooMany = true));
  parser.on("file", (_field, stream, name) => {
    if (name === undefined || name === "") return void stream.resume();
    arriving.add(stream);
    stream.once("close", () => arriving.delete(stream));
    const arrived: ArrivedFile = { index: files.length, name: basename(name), path: newPath(), tooLarge: false, digest: null };
    const written = write(stream, arrived.path).catch((error: unknown) => {
      const cause = asDiskFull(error);
      // Without a reader of the file, the parser would wait forever.
      stop.abort(cause);
      throw cause;
    });
    const file = handle(written, before, arrived, onFile);
    before = file.catch(() => {});
    files.push(file);
  });

  // If the form ends within a file, the parser ends the file after this error.
  parser.once("error", () => [...arriving].at(-1)?.destroy(new Error("The form ended within the file")));

  // Node's and the DOM's types differ in a kind of reader that is unused here.
  const body = Readable.fromWeb(request.body as ReadableStream<Uint8Array>);
  const silent = () => stop.abort(new UploadAborted("The connection was silent for too long"));
  let timer = setTimeout(silent, silenceMs);
  body.on("data", () => {
    clearTimeout(timer);
    timer = setTimeout(silent, silenceMs);
  });
  try {
    await pipeline(body, parser, { signal: AbortSignal.any([stop.signal, request.signal]) });
    // An error in the last field comes too late for `pipeline`.
    if (parser.errored) throw parser.errored;
  } catch (cause) {
    const reason: unknown = stop.signal.aborted ? stop.signal.reason : cause instanceof InvalidForm ? cause : null;
    for (const stream of arriving) stream.destroy(new Error("Aborted"));
    await Promise.allSettled(files);
    throw reason ?? new UploadAborted("The form was not received completely", { cause });
  } finally {
    clearTimeout(timer);
  }
  await Promise.allSettled(files);
  return { results: await Promise.all(files), tooMany };
}

async function write(stream: BusboyFileStream, path: string): Promise<Pick<ArrivedFile, "tooLarge" | "digest">> {
  const hash = createHash("sha256");
  stream.on("data", (chunk: Buffer) => hash.update(chunk));
  await pipeline(stream, createWriteStream(path, { mode: 0o600, flags: "wx" }));
  return { tooLarge: stream.truncated, digest: hash.digest("hex") };
}

async function handle<Result>(
  written: ReturnType<typeof write>,
  before: Promise<unknown>,
  file: ArrivedFile,
  onFile: (file: ArrivedFile) => Promise<Result>,
): Promise<Result> {
  try {
    const result = await written;
    await before;
    return await onFile({ ...file, ...result });
  } finally {
    await rm(file.path, { force: true });
  }
}
