/**
 * Tokens for `/api/storage/upload?token=`: a random number and a time of expiry under an HMAC. The transactor issues them inside
 * mutations, the main thread checks them; both hold the key.
 */
import { Buffer } from "node:buffer";
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/** An upload address is good for an hour (docs.convex.dev/file-storage/upload-files). */
const UPLOAD_TOKEN_LIFETIME_MS = 60 * 60 * 1_000;
export const UPLOAD_KEY_BYTES = 32;
const NONCE_BYTES = 16;
const BODY_BYTES = NONCE_BYTES + 8;
const SIGNATURE_BYTES = 32;

export class UploadTokens {
  readonly #key: Buffer;
  readonly #clock: () => number;
  /** Used nonces until they would have expired anyway. */
  readonly #used = new Map<string, number>();

  constructor(key: Buffer, clock: () => number = Date.now) {
    this.#key = key;
    this.#clock = clock;
  }

  issue(): string {
    const body = Buffer.alloc(BODY_BYTES);
    body.set(randomBytes(NONCE_BYTES));
    body.writeBigUInt64BE(BigInt(this.#clock() + UPLOAD_TOKEN_LIFETIME_MS), NONCE_BYTES);
    return Buffer.concat([body, this.#sign(body)]).toString("base64url");
  }

  /** Accepts a token once. @throws Error when it is none of ours, too old, or was used. */
  use(token: string): void {
    const bytes = Buffer.from(token, "base64url");
    const body = bytes.subarray(0, BODY_BYTES);
    if (bytes.length !== BODY_BYTES + SIGNATURE_BYTES || !timingSafeEqual(bytes.subarray(BODY_BYTES), this.#sign(body))) {
      throw new Error("Invalid upload token.");
    }
    const now = this.#clock();
    const expiry = Number(body.readBigUInt64BE(NONCE_BYTES));
    if (expiry <= now) throw new Error("The upload token has expired.");
    const nonce = body.toString("hex", 0, NONCE_BYTES);
    if (this.#used.has(nonce)) throw new Error("The upload token was already used.");
    for (const [old, until] of this.#used) if (until <= now) this.#used.delete(old);
    this.#used.set(nonce, expiry);
  }

  #sign(body: Buffer): Buffer {
    return createHmac("sha256", this.#key).update(body).digest();
  }
}
