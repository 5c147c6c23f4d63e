/** A stored file's name on disk and in URLs: its id encrypted as a UUID, so it cannot be guessed and needs no table. */
import { Buffer } from "node:buffer";
import { createCipheriv, createDecipheriv, timingSafeEqual } from "node:crypto";
import { idBytes, idFromBytes } from "../../values/ids.ts";

/** @param key 16 secret bytes */
export function storedFileName(key: Buffer, id: string): string {
  const bytes = idBytes(id);
  if (!bytes) throw new Error(`Invalid storage ID ${JSON.stringify(id)}.`);
  const cipher = createCipheriv("aes-128-ecb", key, null).setAutoPadding(false);
  const hex = Buffer.concat([cipher.update(bytes), cipher.final()]).toString("hex");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

export function storedFileId(key: Buffer, table: number, name: string): string | null {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(name)) return null;
  const decipher = createDecipheriv("aes-128-ecb", key, null).setAutoPadding(false);
  const sealed = Buffer.from(name.replaceAll("-", ""), "hex");
  return idFromBytes(table, Buffer.concat([decipher.update(sealed), decipher.final()]));
}

/** Compares a checksum in base64 (HTTP's Digest header) or hex with a digest. */
export function sameChecksum(expected: string, digest: Buffer): boolean {
  const bytes = checksumBytes(expected);
  return bytes.length === digest.length && timingSafeEqual(bytes, digest);
}

export const sha256Hex = (checksum: string): string => checksumBytes(checksum).toString("hex");

const checksumBytes = (checksum: string): Buffer => Buffer.from(checksum, /^[0-9a-f]{64}$/i.test(checksum) ? "hex" : "base64");
