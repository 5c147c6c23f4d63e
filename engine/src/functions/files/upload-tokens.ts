/** Tokens of a nonce, an expiry and a component path with their HMAC. The transactor issues them, and the main thread checks them. */
import { Buffer } from "node:buffer";
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { APP, type ComponentPath } from "../paths.ts";

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

  issue(component: ComponentPath = APP): string {
    const path = Buffer.from(component);
    const body = Buffer.alloc(BODY_BYTES + path.length);
    body.set(path, BODY_BYTES);
    body.set(randomBytes(NONCE_BYTES));
    body.writeBigUInt64BE(BigInt(this.#clock() + UPLOAD_TOKEN_LIFETIME_MS), NONCE_BYTES);
    return Buffer.concat([body, this.#sign(body)]).toString("base64url");
  }

  /** Returns the component. Tokens are reusable until they expire, as on Convex, so that interrupted uploads can be retried. */
  check(token: string): ComponentPath {
    const bytes = Buffer.from(token, "base64url");
    const body = bytes.subarray(0, -SIGNATURE_BYTES);
    if (body.length < BODY_BYTES || !timingSafeEqual(bytes.subarray(-SIGNATURE_BYTES), this.#sign(body))) {
      throw new Error("Invalid upload token.");
    }
    const expiry = Number(body.readBigUInt64BE(NONCE_BYTES));
    if (expiry <= this.#clock()) throw new Error("The upload token has expired.");
    return body.toString("utf8", BODY_BYTES);
  }

  #sign(body: Buffer): Buffer {
    return createHmac("sha256", this.#key).update(body).digest();
  }
}
