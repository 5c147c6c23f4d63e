import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { basename } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";
import { Busboy, type BusboyFileStream } from "@fastify/busboy";

/** A file of a form as it has arrived: on our disk, under a name of ours, whatever it calls itself. */
export type ArrivedFile = {
  /** Its place among the form's files, from 0. */
  index: number;
  /** What its owner calls it, without any folders. */
  name: string;
  path: string;
  /** Longer than `maxFileBytes`; the rest was thrown away. */
  tooLarge: boolean;
  /** SHA-256 of what arrived, in hexadecimal, where it was computed on the way; null: it has to be read for that. */
  digest: string | null;
};

export type ReceiveLimits = {
  maxFileBytes: number;
  maxFiles: number;
  /** How long the line may be silent, in ms. */
  silenceMs: number;
};

/** The form did not come whole: the connection was lost or fell silent. What came before has been handed on. */
export class BrokenOff extends Error {
  override name = "BrokenOff";
}

/** The request is no form with files, or one that no browser would send. */
export class NotAForm extends Error {
  override name = "NotAForm";
}

/** More files than a form may carry; the first `maxFiles` have been handed on. */
export type Received<Result> = { results: Result[]; tooMany: boolean };

/**
 * Reads a multipart form and hands on its files, each while later ones still arrive, and one after the other in the form's order; every file
 * gets its own answer, and one that is too large does not end the others. Files lie in the places that `newPath` names while `onFile` runs, and are removed after
 * it, whatever it does. `onField` is told the text fields that stand before them.
 */
export async function receive<Result>(
  request: Request,
  limits: ReceiveLimits,
  {
    newPath,
    onField = () => {},
    onFile,
  }: { newPath: () => string; onField?: (name: string, value: string) => void; onFile: (file: ArrivedFile) => Promise<Result> },
): Promise<Received<Result>> {
  const contentType = request.headers.get("Content-Type") ?? "";
  if (!request.body || !/^multipart\/form-data\s*;/i.test(contentType)) throw new NotAForm("Not multipart/form-data");

  const parser = parserFor(contentType, limits);
  const files: Promise<Result>[] = [];
  const arriving = new Set<BusboyFileStream>();
  let before: Promise<unknown> = Promise.resolve();
  let tooMany = false;
  parser.on("field", (name, value) => onField(name, value));
  parser.on("filesLimit", () => (tooMany = true));
  parser.on("file", (_field, stream, name) => {
    // A file field in which nothing was chosen.
    if (name === undefined || name === "") return void stream.resume();
    arriving.add(stream);
    stream.once("close", () => arriving.delete(stream));
    const file = arrive(
      stream,
      { index: files.length, name: basename(name), path: newPath(), tooLarge: false, digest: null },
      before,
      onFile,
    );
    // Its failure is told with all the others', below.
    before = file.catch(() => {});
    files.push(file);
  });

  const silence = new AbortController();
  // Node's own types and the browser's disagree about a kind of reader that nobody uses here.
  const body = Readable.fromWeb(request.body as ReadableStream<Uint8Array>);
  let timer = setTimeout(() => silence.abort(), limits.silenceMs);
  body.on("data", () => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(), limits.silenceMs);
  });
  try {
    await pipeline(body, parser, { signal: AbortSignal.any([silence.signal, request.signal]) });
  } catch (cause) {
    // The parser leaves the file in which it was interrupted open, and whoever reads it waiting.
    for (const stream of arriving) stream.destroy(new Error("Broken off"));
    await Promise.allSettled(files);
    throw new BrokenOff("The form did not arrive whole", { cause });
  } finally {
    clearTimeout(timer);
  }
  await Promise.allSettled(files);
  return { results: await Promise.all(files), tooMany };
}

function parserFor(contentType: string, { maxFileBytes, maxFiles }: ReceiveLimits) {
  try {
    return new Busboy({
      headers: { "content-type": contentType },
      limits: { fileSize: maxFileBytes, files: maxFiles, fields: 20, fieldSize: 1024, parts: maxFiles + 20, headerSize: 8 * 1024 },
    });
  } catch (cause) {
    throw new NotAForm("The form cannot be read", { cause });
  }
}

async function arrive<Result>(
  stream: BusboyFileStream,
  file: ArrivedFile,
  before: Promise<unknown>,
  onFile: (file: ArrivedFile) => Promise<Result>,
): Promise<Result> {
  try {
    const hash = createHash("sha256");
    stream.on("data", (chunk: Buffer) => hash.update(chunk));
    // Only its owner may read it: it may be anything.
    await pipeline(stream, createWriteStream(file.path, { mode: 0o600, flags: "wx" }));
    await before;
    return await onFile({ ...file, tooLarge: stream.truncated, digest: hash.digest("hex") });
  } finally {
    await rm(file.path, { force: true });
  }
}
