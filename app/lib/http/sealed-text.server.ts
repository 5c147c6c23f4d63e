import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import type { AppConfig } from "~/config";

type Secret = Pick<AppConfig, "secret">;

/** Encrypts a text (AES-256-GCM) with one key per purpose. */
export function sealText(config: Secret, purpose: string, text: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, keyOf(config, purpose), nonce);
  return Buffer.concat([nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]).toString("base64");
}

/** Throws if the text was altered, or sealed with another secret or for another purpose. */
export function openSealedText(config: Secret, purpose: string, sealed: string): string {
  const bytes = Buffer.from(sealed, "base64");
  const decipher = createDecipheriv(ALGORITHM, keyOf(config, purpose), bytes.subarray(0, NONCE_BYTES));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]).toString("utf8");
}

const ALGORITHM = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

const keys = new Map<string, Buffer>();

function keyOf({ secret }: Secret, purpose: string): Buffer {
  const name = `${purpose} ${secret}`;
  const key = keys.get(name) ?? Buffer.from(hkdfSync("sha256", secret, "", purpose, 32));
  keys.set(name, key);
  return key;
}
