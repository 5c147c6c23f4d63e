import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import * as z from "zod";
import { writeFileArchive } from "@atelier/engine/archive";
import type { Target } from "../deployment/push.ts";
import { callForPages, callFunction, pageSchema } from "./admin-calls.ts";
import { importSnapshot, waitForImports } from "./snapshot-transfer.ts";

const BATCH_FILES = 500;
const BATCH_BYTES = 128 * 1024 * 1024;
const DOWNLOADS = 8;
const REMOVED = 100;

const fileSchema = z.looseObject({
  id: z.string(),
  creationTime: z.number(),
  sha256: z.string(),
  size: z.number(),
  contentType: z.string().optional(),
  url: z.string(),
});
const filesSchema = pageSchema.extend({ files: z.array(fileSchema) });

type StoredFile = z.infer<typeof fileSchema>;
export type FileList = Map<string, { size: number; sha256: string }>;

const hexOf = (sha256: string): string =>
  /^[0-9a-f]{64}$/i.test(sha256) ? sha256.toLowerCase() : Buffer.from(sha256, "base64").toString("hex");

export async function listFiles(target: Target): Promise<FileList> {
  const files: FileList = new Map();
  for await (const page of callForPages(target, "moving:files", filesSchema))
    for (const { id, size, sha256 } of page.files) files.set(id, { size, sha256: hexOf(sha256) });
  return files;
}

type CopyOptions = { source: Target; target: Target; folder: string; onBatch: (files: number, bytes: number) => void };

/** Copies the files that the target does not have, in batches, so that a new run continues. Returns the number of copied files. */
export async function copyMissingFiles({ source, target, folder, onBatch }: CopyOptions): Promise<number> {
  await waitForImports(target);
  const present = await listFiles(target);
  let [copied, batch, bytes]: [number, StoredFile[], number] = [0, [], 0];
  const copyBatch = async (): Promise<void> => {
    const files = await copyFiles({ source, target, folder }, batch);
    copied += files;
    onBatch(copied, bytes);
    [batch, bytes] = [[], 0];
  };
  for await (const page of callForPages(source, "moving:files", filesSchema))
    for (const file of page.files) {
      if (present.has(file.id)) continue;
      batch.push(file);
      bytes += file.size;
      if (batch.length >= BATCH_FILES || bytes >= BATCH_BYTES) await copyBatch();
    }
  if (batch.length > 0) await copyBatch();
  return copied;
}

async function copyFiles({ source, target, folder }: Omit<CopyOptions, "onBatch">, files: StoredFile[]): Promise<number> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const found: StoredFile[] = [];
  const rest = files.values();
  const work = async (): Promise<void> => {
    for (const file of rest) if (await download(source, file, join(folder, file.id))) found.push(file);
  };
  await Promise.all(Array.from({ length: DOWNLOADS }, work));
  if (found.length > 0) {
    const archive = join(folder, "files.zip");
    await writeFileArchive(
      archive,
      found.map((file) => ({ ...file, path: join(folder, file.id) })),
    );
    await importSnapshot(target, archive, "append");
  }
  await rm(folder, { recursive: true, force: true });
  return found.length;
}

async function download(source: Target, { id, url, sha256 }: StoredFile, to: string): Promise<boolean> {
  if (url === "") return false;
  // Rewritten, because a deployment's address for browsers may not be reachable from here.
  const { pathname, search } = new URL(url);
  const response = await fetch(source.url + pathname + search);
  if (response.status === 404) return false;
  if (!response.ok || !response.body) throw new Error(`The file ${id} cannot be read from ${source.url} (${response.status}).`);
  const hash = createHash("sha256");
  const hashed = async function* (chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      hash.update(chunk);
      yield chunk;
    }
  };
  await pipeline(response.body, hashed, createWriteStream(to, { flags: "wx", mode: 0o600 }));
  if (hash.digest("hex") !== hexOf(sha256))
    throw new Error(`The file ${id} of ${source.url} is damaged: its content does not match its sha256.`);
  return true;
}

export async function removeSurplusFiles(source: Target, target: Target): Promise<void> {
  const kept = await listFiles(source);
  const surplus = [...(await listFiles(target)).keys()].filter((id) => !kept.has(id));
  for (let from = 0; from < surplus.length; from += REMOVED)
    await callFunction(target, "moving:removeFiles", { ids: surplus.slice(from, from + REMOVED) });
}

export function differingFiles(source: FileList, target: FileList): string[] {
  return [...new Set([...source.keys(), ...target.keys()])].flatMap((id) => {
    const [expected, found] = [source.get(id), target.get(id)];
    if (!found) return [`File ${id} is missing.`];
    if (!expected) return [`File ${id} does not exist in the source.`];
    return expected.size === found.size && expected.sha256 === found.sha256 ? [] : [`The content of file ${id} differs from the source.`];
  });
}
