import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { Buffer } from "node:buffer";
import { ZipFile } from "yazl";
import { APP } from "../functions/paths.ts";
import { tableNumberOf } from "../values/ids.ts";
import { documentsPath, filePath, STORAGE, TABLES } from "./archive-paths.ts";
import { extensionOf } from "./extensions.ts";

/** A file with the row that describes it. `url` is its address, whose last part exports have as `internalId`. */
export type FileToArchive = {
  path: string;
  id: string;
  creationTime: number;
  sha256: string;
  size: number;
  contentType?: string | undefined;
  url: string;
};

/** Writes a snapshot that has only stored files. Import it with `npx convex import --append`. */
export async function writeFileArchive(to: string, files: FileToArchive[]): Promise<void> {
  const zip = new ZipFile();
  const written = pipeline(zip.outputStream, createWriteStream(to, { mode: 0o600 }));
  const failure = Promise.withResolvers<never>();
  zip.on("error", failure.reject);
  const number = tableNumberOf(files[0]?.id ?? "");
  zip.addBuffer(Buffer.from(`${JSON.stringify({ name: STORAGE, id: number })}\n`), documentsPath(APP, TABLES));
  zip.addBuffer(Buffer.from(files.map(lineOf).join("")), documentsPath(APP, STORAGE));
  for (const { path, id, contentType } of files) zip.addFile(path, filePath(APP, id, extensionOf(contentType)), { compress: false });
  zip.end();
  await Promise.race([written, failure.promise]);
}

function lineOf({ id: _id, creationTime: _creationTime, sha256, size, contentType, url }: FileToArchive): string {
  const row = { _id, _creationTime, ...(contentType !== undefined && { contentType }), internalId: url.split("/").at(-1) ?? "" };
  return `${JSON.stringify({ ...row, sha256: base64Of(sha256), size })}\n`;
}

const base64Of = (sha256: string): string => (/^[0-9a-f]{64}$/i.test(sha256) ? Buffer.from(sha256, "hex").toString("base64") : sha256);
