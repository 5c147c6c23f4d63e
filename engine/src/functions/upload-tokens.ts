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

  /** Accepts a token any number of times until it expires, as Convex does: an upload that broke off is tried again. @throws Error when it is none of ours, or too old. */
  check(token: string): void {
    const bytes = Buffer.from(token, "base64url");
    const body = bytes.subarray(0, BODY_BYTES);
    if (bytes.length !== BODY_BYTES + SIGNATURE_BYTES || !timingSafeEqual(bytes.subarray(BODY_BYTES), this.#sign(body))) {
      throw new Error("Invalid upload token.");
    }
    const expiry = Number(body.readBigUInt64BE(NONCE_BYTES));
    if (expiry <= this.#clock()) throw new Error("The upload token has expired.");
  }

  #sign(body: Buffer): Buffer {
    return createHmac("sha256", this.#key).update(body).digest();
  }
}
