import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import type { AppConfig } from "~/config";
import type { Message } from "./messages";

/** Encrypts a queued message (AES-256-GCM), because its links and codes open accounts. */
export function sealMessage(config: Pick<AppConfig, "secret">, message: Message | null): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, keyOf(config), nonce);
  const length = Buffer.byteLength(JSON.stringify(message));
  const padded = JSON.stringify({ message, padding: " ".repeat(Math.max(0, PADDED_LENGTH - length)) });
  const bytes = Buffer.concat([nonce, cipher.update(padded, "utf8"), cipher.final(), cipher.getAuthTag()]);
  return bytes.toString("base64");
}

/** Decrypts a message. Throws if it was altered or encrypted with another secret. */
export function openMessage(config: Pick<AppConfig, "secret">, sealed: string): Message | null {
  const bytes = Buffer.from(sealed, "base64");
  const decipher = createDecipheriv(ALGORITHM, keyOf(config), bytes.subarray(0, NONCE_BYTES));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  const text = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]).toString("utf8");
  const { message }: { message: Message | null } = JSON.parse(text);
  return message;
}

const ALGORITHM = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Gives messages to nobody the same length as real ones. */
const PADDED_LENGTH = 1024;

const keys = new Map<string, Buffer>();

function keyOf({ secret }: Pick<AppConfig, "secret">): Buffer {
  const key = keys.get(secret) ?? Buffer.from(hkdfSync("sha256", secret, "", "atelier mail queue", 32));
  keys.set(secret, key);
  return key;
}
