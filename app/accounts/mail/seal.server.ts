import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import type { AppConfig } from "~/config";
import type { Message } from "./messages";

/**
 * Messages carry links and codes that open accounts, and Better Auth keeps these hashed: so while a message waits to be sent, it is encrypted
 * (AES-256-GCM) under a key that only app servers know. A null stands for a message to nobody, which is sent nowhere.
 */
export function seal(config: Pick<AppConfig, "secret">, message: Message | null): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, keyOf(config), nonce);
  const length = Buffer.byteLength(JSON.stringify(message));
  const padded = JSON.stringify({ message, padding: " ".repeat(Math.max(0, PADDED_LENGTH - length)) });
  const bytes = Buffer.concat([nonce, cipher.update(padded, "utf8"), cipher.final(), cipher.getAuthTag()]);
  return bytes.toString("base64");
}

/** What was sealed; throws where it was altered, or sealed by a server with another secret. */
export function open(config: Pick<AppConfig, "secret">, sealed: string): Message | null {
  const bytes = Buffer.from(sealed, "base64");
  const decipher = createDecipheriv(ALGORITHM, keyOf(config), bytes.subarray(0, NONCE_BYTES));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  const text = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]).toString("utf8");
  // What we sealed ourselves is what it was.
  const { message }: { message: Message | null } = JSON.parse(text);
  return message;
}

const ALGORITHM = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** A message to nobody takes as many bytes, and as long, as one to somebody. */
const PADDED_LENGTH = 1024;

const keys = new Map<string, Buffer>();

function keyOf({ secret }: Pick<AppConfig, "secret">): Buffer {
  const key = keys.get(secret) ?? Buffer.from(hkdfSync("sha256", secret, "", "atelier mail queue", 32));
  keys.set(secret, key);
  return key;
}
