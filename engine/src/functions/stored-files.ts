/**
 * Stored files as the transactor sees them: rows of `_storage`, beside bytes under DIR/files. A file's name on disk and in its address
 * is a UUID that follows from its id by a secret key, so that it cannot be guessed and needs no table of its own.
 */
import { Buffer } from "node:buffer";
import { createCipheriv, createDecipheriv } from "node:crypto";
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Transaction } from "../transaction/types.ts";
import { idBytes, idFromBytes } from "../values/ids.ts";
import type { Json } from "../values/types.ts";
import type { FileRow } from "./protocol.ts";
import type { UploadTokens } from "./upload-tokens.ts";

const TABLE = "_storage";

type Row = { _id: string; sha256: string; size: number; contentType?: string };

export class StoredFiles {
  readonly #folder: string;
  readonly #key: Buffer;
  readonly #tokens: UploadTokens;
  readonly #origin: string;
  readonly #table: number;

  /** `key`: 16 secret bytes. `origin`: where files are served, without a slash at the end. */
  constructor(options: { folder: string; key: Buffer; tokens: UploadTokens; origin: string; storageTable: number }) {
    this.#folder = options.folder;
    this.#key = options.key;
    this.#tokens = options.tokens;
    this.#origin = options.origin;
    this.#table = options.storageTable;
    mkdirSync(this.#folder, { recursive: true });
  }

  uploadUrl(): string {
    return `${this.#origin}/api/storage/upload?token=${this.#tokens.issue()}`;
  }

  /** Null when there is no such file. */
  url(transaction: Transaction, id: string): string | null {
    return this.find(transaction, id, "getUrl") && this.placeOf(id).url;
  }

  /** Where the bytes of a file lie, and where they are served. */
  placeOf(id: string): { path: string; url: string } {
    const uuid = this.uuidOf(id);
    return { path: this.path(uuid), url: `${this.#origin}/api/storage/${uuid}` };
  }

  metadata(transaction: Transaction, id: string): Json {
    const row = this.find(transaction, id, "getMetadata");
    return row && { storageId: row.id, sha256: row.sha256, size: row.size, contentType: row.contentType };
  }

  /** `method`: which of `ctx.storage` was called, for the message about an id that is none. */
  find(transaction: Transaction, id: string, method = "get"): FileRow | null {
    const asked = `\`storageId\` for \`storage.${method}\``;
    const row: Row | null = JSON.parse(transaction.get({ id, table: TABLE, isSystem: true, asked }));
    return row && { id: row._id, sha256: row.sha256, size: row.size, contentType: row.contentType ?? null };
  }

  findByUuid(transaction: Transaction, uuid: string): FileRow | null {
    const id = this.idOf(uuid);
    return id === null ? null : this.find(transaction, id);
  }

  /**
   * Inserts the row and moves the bytes to where it expects them, before the commit: a crash in between leaves bytes
   * without a row, which the next start sweeps away, and never a row without bytes.
   */
  store(
    transaction: Transaction,
    file: { temporary: string; sha256: string; size: number; contentType: string | null },
  ): { id: string; undo: () => void } {
    const { temporary, sha256, size, contentType } = file;
    const id = transaction.system.insert(TABLE, { sha256, size, ...(contentType === null ? {} : { contentType }) });
    const path = this.path(this.uuidOf(id));
    renameSync(temporary, path);
    syncFolder(this.#folder);
    return { id, undo: () => rmSync(path, { force: true }) };
  }

  /** Removes the row; what is answered removes the bytes, once that is durable. */
  remove(transaction: Transaction, id: string): () => void {
    if (!this.find(transaction, id, "delete")) throw new Error(`There is no stored file with the ID ${id}.`);
    transaction.system.remove(id);
    return () => rmSync(this.path(this.uuidOf(id)), { force: true });
  }

  path(uuid: string): string {
    return join(this.#folder, uuid);
  }

  uuidOf(id: string): string {
    const bytes = idBytes(id);
    if (!bytes) throw new Error(`Invalid storage ID ${JSON.stringify(id)}.`);
    const cipher = createCipheriv("aes-128-ecb", this.#key, null).setAutoPadding(false);
    const hex = Buffer.concat([cipher.update(bytes), cipher.final()]).toString("hex");
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  }

  idOf(uuid: string): string | null {
    if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(uuid)) return null;
    const decipher = createDecipheriv("aes-128-ecb", this.#key, null).setAutoPadding(false);
    const sealed = Buffer.from(uuid.replaceAll("-", ""), "hex");
    return idFromBytes(this.#table, Buffer.concat([decipher.update(sealed), decipher.final()]));
  }
}

/** Makes a rename in this folder survive a power failure. */
function syncFolder(folder: string): void {
  const handle = openSync(folder, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
