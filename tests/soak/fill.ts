import { createHash, randomBytes, randomUUID } from "node:crypto";
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { storedFileName } from "@atelier/engine/testing/file-names";
import { secret } from "@atelier/engine/testing/settings";
import { openDatabase } from "@atelier/engine/testing/database";
import type { Database, Transaction } from "@atelier/engine/testing/database-types";
import type { Json } from "@atelier/engine/testing/value-types";

export type Amounts = {
  images: number;
  rows: number;
  cachedFiles: number;
  finishedUploads: number;
  partialUploads: number;
};

export const YEARS: Amounts = { images: 100_000, rows: 1_000_000, cachedFiles: 100_000, finishedUploads: 100_000, partialUploads: 10_000 };

const OWNERS = 200;
const IMAGES_OF_DESIGN = 50;
const DESIGNS_OF_PROJECT = 10;
const ROWS_OF_COMMIT = 2000;
const DAY_MS = 24 * 60 * 60 * 1000;

export function fill(dataDir: string, amounts: Amounts): void {
  fillDeployment(join(dataDir, "convex"), amounts);
  fillCache(join(dataDir, "cache", "images"), amounts.cachedFiles);
  fillUploads(join(dataDir, "parts"), amounts);
}

const contentOf = (index: number): Buffer => Buffer.from(`picture ${index}`);
const sha256 = (bytes: Buffer): Buffer => createHash("sha256").update(bytes).digest();

function fillDeployment(dir: string, { images, rows }: Amounts): void {
  const database = openDatabase(dir);
  const key = secret(database, "files", 16);
  const write = writer(database);
  const now = Date.now();
  const names: string[] = [];
  for (let index = 0, project = "", design = "", owner = ""; index < images; index++) {
    if (index % (IMAGES_OF_DESIGN * DESIGNS_OF_PROJECT) === 0) {
      owner = `owner-${(index / (IMAGES_OF_DESIGN * DESIGNS_OF_PROJECT)) % OWNERS}`;
      const counts = { designCount: DESIGNS_OF_PROJECT, imageCount: IMAGES_OF_DESIGN * DESIGNS_OF_PROJECT };
      project = write((to) =>
        to.insert("projects", { ownerId: owner, name: "Project", words: "project", updatedAt: now, cover: [], ...counts }),
      );
    }
    if (index % IMAGES_OF_DESIGN === 0) {
      const given = { ownerId: owner, projectId: project, name: "Design", words: "design", updatedAt: now };
      design = write((to) => to.insert("designs", { ...given, imageCount: IMAGES_OF_DESIGN, cover: [], latestImageAt: now }));
    }
    const content = contentOf(index);
    const digest = sha256(content);
    const storageId = write((to) =>
      to.system.insert("_storage", { sha256: digest.toString("base64"), size: content.length, contentType: "image/png" }),
    );
    names.push(storedFileName(key, storageId));
    const checksum = digest.toString("hex");
    const properties = {
      contentType: "image/png",
      size: content.length,
      width: 1,
      height: 1,
      checksum,
      placeholder: null,
      animated: false,
    };
    const name = `picture ${index}.png`;
    const given = { ownerId: owner, designId: design, name, words: name, storageId, uploadId: randomUUID(), ...properties };
    write((to) => to.insert("designImages", given));
    if (index === images - 1) {
      const used = images * 2 + Math.ceil(images / IMAGES_OF_DESIGN);
      const entry = { projectId: project, actorId: owner, kind: "created", thing: { kind: "project", id: project, name: "Project" } };
      for (let row = used; row < rows; row++)
        write((to) => to.insert("activities", { ...entry, ownerId: `owner-${row % OWNERS}`, at: now - row }));
    }
  }
  write.end();
  database.close();
  const files = join(dir, "files");
  mkdirSync(files, { recursive: true });
  for (const [index, name] of names.entries()) writeFileSync(join(files, name), contentOf(index), { mode: 0o600 });
}

function writer(database: Database) {
  let open: Transaction | null = null;
  let written = 0;
  function commit(): void {
    if (open) database.commit(open);
    database.flush();
    open = null;
  }
  const write = <Result>(insert: (to: { insert(table: string, value: Json): string; system: Transaction["system"] }) => Result): Result => {
    open ??= database.beginMutation();
    const result = insert(open);
    if (++written % ROWS_OF_COMMIT === 0) commit();
    return result;
  };
  return Object.assign(write, { end: commit });
}

function fillCache(folder: string, count: number): void {
  for (let index = 0; index < count; index++) {
    const content = contentOf(index);
    const checksum = sha256(content).toString("hex");
    const inside = join(folder, checksum.slice(0, 2));
    mkdirSync(inside, { recursive: true, mode: 0o700 });
    writeFileSync(join(inside, `${checksum}-640-webp-1.${content.length}.${checksum.slice(0, 32)}.webp`), content, { mode: 0o600 });
  }
}

function fillUploads(folder: string, { finishedUploads, partialUploads }: Amounts): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const expiresAt = Date.now() + DAY_MS;
  const length = 1000;
  for (let index = 0; index < partialUploads; index++) {
    const id = randomUUID();
    const part = { id, ownerId: `owner-${index % OWNERS}`, designId: "design", name: "picture.png", length, checksum: null, expiresAt };
    writeFileSync(join(folder, `${id}.part`), randomBytes(10), { mode: 0o600 });
    writeFileSync(join(folder, `${id}.json`), JSON.stringify(part), { mode: 0o600 });
  }
  const lines: string[] = [];
  for (let index = 0; index < finishedUploads; index++) {
    const outcome = { ok: true, imageId: `image-${index}` };
    lines.push(`\n${JSON.stringify({ id: randomUUID(), ownerId: `owner-${index % OWNERS}`, length, expiresAt, outcome })}`);
  }
  appendFileSync(join(folder, "outcomes.jsonl"), lines.join(""), { mode: 0o600 });
}
