/** A nonce and an expiry under an HMAC, issued by the transactor and checked on the main thread. */
import { Buffer } from "node:buffer";
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/** docs.convex.dev/file-storage/upload-files */
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

  /** Tokens are reusable until they expire, as on Convex, so that interrupted uploads can be retried. */
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
