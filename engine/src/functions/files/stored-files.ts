import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createFolder, syncFolder } from "../../storage/folders.ts";
import type { ImportedFile } from "../../transaction/import/apply-import.ts";
import type { Transaction } from "../../transaction/types.ts";
import type { Json } from "../../values/types.ts";
import { storedFileId, storedFileName } from "./file-names.ts";
import type { ComponentPath } from "../paths.ts";
import type { FileRow } from "../transactor/transactor-protocol.ts";
import type { UploadTokens } from "./upload-tokens.ts";

const TABLE = "_storage";

export function fileMetadata({ id, sha256, size, contentType }: FileRow): { [field: string]: Json } {
  return { storageId: id, sha256: Buffer.from(sha256, "base64").toString("hex"), size, contentType };
}

export type StorageTable = { component: ComponentPath; number: number };

type Row = { _id: string; sha256: string; size: number; contentType?: string };

export class StoredFiles {
  readonly #folder: string;
  readonly #key: Buffer;
  readonly #tokens: UploadTokens;
  readonly #origin: string;
  readonly #tables: () => StorageTable[];

  /** `key` has 16 secret bytes. `origin` has no trailing slash. `tables` returns the `_storage` tables of all components. */
  constructor(options: { folder: string; key: Buffer; tokens: UploadTokens; origin: string; tables: () => StorageTable[] }) {
    this.#folder = options.folder;
    this.#key = options.key;
    this.#tokens = options.tokens;
    this.#origin = options.origin;
    this.#tables = options.tables;
    createFolder(this.#folder);
  }

  /** Returns an id that all copies of this deployment have, and no other one. */
  deploymentId(): string {
    return createHash("sha256").update("files of ").update(this.#key).digest("hex");
  }

  uploadUrl(component: ComponentPath): string {
    return `${this.#origin}/api/storage/upload?token=${this.#tokens.issue(component)}`;
  }

  url(transaction: Transaction, id: string): string | null {
    return this.find(transaction, id, "getUrl") && this.placeOf(id).url;
  }

  placeOf(id: string): { path: string; url: string } {
    const uuid = this.uuidOf(id);
    return { path: this.path(uuid), url: `${this.#origin}/api/storage/${uuid}` };
  }

  metadata(transaction: Transaction, id: string): Json {
    const row = this.find(transaction, id, "getMetadata");
    return row && fileMetadata(row);
  }

  find(transaction: Transaction, id: string, method = "get"): FileRow | null {
    const requested = `\`storageId\` for \`storage.${method}\``;
    const row: Row | null = JSON.parse(transaction.get({ id, table: TABLE, isSystem: true, argument: requested }));
    return row && { id: row._id, sha256: row.sha256, size: row.size, contentType: row.contentType ?? null };
  }

  findByUuid(transaction: Transaction, uuid: string): FileRow | null {
    for (const { component, number } of this.#tables()) {
      const id = storedFileId(this.#key, number, uuid);
      const row = id === null ? null : this.find(transaction.in(component), id);
      if (row) return row;
    }
    return null;
  }

  /** Moves the bytes before the commit, so that a crash may leave bytes without a row but never a row without bytes. */
  store(
    transaction: Transaction,
    file: { temporary: string; sha256: string; size: number; contentType: string | null },
  ): { id: string; undo: () => void } {
    const { temporary, sha256, size, contentType } = file;
    const id = transaction.system.insert(TABLE, { sha256, size, ...(contentType === null ? {} : { contentType }) });
    const path = this.path(this.uuidOf(id));
    const undo = (): void => rmSync(path, { force: true });
    renameSync(temporary, path);
    try {
      syncFolder(this.#folder);
    } catch (error) {
      undo();
      throw error;
    }
    return { id, undo };
  }

  /** Moves imported files, named by their ids in `from`, before the commit. */
  storeImported(imported: ImportedFile[], from: string): { undo: () => void } {
    const stored: string[] = [];
    const undo = (): void => {
      for (const path of stored) rmSync(path, { force: true });
    };
    try {
      for (const { id, isStored } of imported) {
        const path = this.path(this.uuidOf(id));
        if (isStored) continue;
        renameSync(join(from, id), path);
        stored.push(path);
      }
      syncFolder(this.#folder);
    } catch (error) {
      undo();
      throw error;
    }
    return { undo };
  }

  remove(transaction: Transaction, id: string): string {
    if (!this.find(transaction, id, "delete")) throw new Error(`There is no stored file with the ID ${id}.`);
    transaction.system.remove(id);
    return this.uuidOf(id);
  }

  releaseLocal(uuid: string): void {
    rmSync(this.path(uuid), { force: true });
  }

  placeLocal(uuid: string, temporary: string): void {
    renameSync(temporary, this.path(uuid));
    syncFolder(this.#folder);
  }

  path(uuid: string): string {
    return join(this.#folder, uuid);
  }

  uuidOf(id: string): string {
    return storedFileName(this.#key, id);
  }
}
