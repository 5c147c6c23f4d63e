/** Random values are cryptographically secure, unlike those of `Math.random`. `subtle` has only methods that need no other thread. */
import { Buffer } from "node:buffer";
import {
  constants,
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  type KeyObject,
  randomFillSync,
  sign,
  timingSafeEqual,
  verify,
} from "node:crypto";

type CryptoKey = ReturnType<KeyObject["toCryptoKey"]>;
type Algorithm = string | { name: string; hash?: string | { name: string }; namedCurve?: string; saltLength?: number };
type Bytes = ArrayBuffer | ArrayBufferView;
type Jwk = { kty?: string; k?: string; d?: string };

const MAX_RANDOM_BYTES = 65_536;
const INTEGER_ARRAYS = /^(?:Int|Uint|BigInt|BigUint)\d+(?:Clamped)?Array$/;

export function isolateCrypto(onRandom: () => void, refusal: (name: string) => Error): object {
  const getRandomValues = <T extends ArrayBufferView>(array: T): T => {
    if (!INTEGER_ARRAYS.test(Object.prototype.toString.call(array).slice(8, -1)))
      throw new TypeError("crypto.getRandomValues needs an array of integers.");
    if (array.byteLength > MAX_RANDOM_BYTES)
      throw new DOMException(`crypto.getRandomValues returns at most ${MAX_RANDOM_BYTES} bytes.`, "QuotaExceededError");
    onRandom();
    randomFillSync(bytesOf(array));
    return array;
  };
  const randomUUID = (): string => {
    const bytes = getRandomValues(new Uint8Array(16));
    bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
    bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
    return Buffer.from(bytes)
      .toString("hex")
      .replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  };
  const offered: Record<string, unknown> = SUBTLE;
  const subtle = new Proxy(SUBTLE, {
    get(_target, name) {
      if (typeof name !== "string") return undefined;
      return (
        offered[name] ??
        (() => {
          throw refusal(`crypto.subtle.${name}()`);
        })
      );
    },
  });
  return { getRandomValues, randomUUID, subtle };
}

/** Node exports only extractable keys. */
const keyObjects = new WeakMap<CryptoKey, KeyObject>();

const SUBTLE = {
  async digest(algorithm: Algorithm, data: Bytes): Promise<ArrayBuffer> {
    return copy(createHash(hashName(algorithm)).update(bytesOf(data)).digest());
  },

  async importKey(
    format: string,
    data: Bytes | Jwk,
    algorithm: Algorithm,
    extractable: boolean,
    usages: Parameters<KeyObject["toCryptoKey"]>[2],
  ): Promise<CryptoKey> {
    const parameters = typeof algorithm === "string" ? { name: algorithm } : algorithm;
    const object = importKeyObject(format, data);
    const key = object.toCryptoKey(parameters, extractable, usages);
    keyObjects.set(key, object);
    return key;
  },

  async sign(algorithm: Algorithm, key: CryptoKey, data: Bytes): Promise<ArrayBuffer> {
    const object = usableKey(key, "sign");
    if (key.algorithm.name === "HMAC") return copy(createHmac(hashOfKey(key), object).update(bytesOf(data)).digest());
    return copy(sign(signatureHash(algorithm, key), bytesOf(data), { key: object, ...signatureOptions(algorithm, key) }));
  },

  async verify(algorithm: Algorithm, key: CryptoKey, signature: Bytes, data: Bytes): Promise<boolean> {
    const object = usableKey(key, "verify");
    if (key.algorithm.name === "HMAC") {
      const expected = createHmac(hashOfKey(key), object).update(bytesOf(data)).digest();
      const signatureBytes = bytesOf(signature);
      return expected.length === signatureBytes.length && timingSafeEqual(expected, signatureBytes);
    }
    const options = { key: object, ...signatureOptions(algorithm, key) };
    return verify(signatureHash(algorithm, key), bytesOf(data), options, bytesOf(signature));
  },
};

function importKeyObject(format: string, data: Bytes | Jwk): KeyObject {
  if (format === "jwk") {
    const jwk = data as Jwk;
    if (jwk.kty === "oct") return createSecretKey(Buffer.from(jwk.k ?? "", "base64url"));
    const input = { key: jwk as Record<string, string>, format: "jwk" } as const;
    return jwk.d === undefined ? createPublicKey(input) : createPrivateKey(input);
  }
  const bytes = Buffer.from(bytesOf(data as Bytes));
  if (format === "raw") return createSecretKey(bytes);
  if (format === "spki") return createPublicKey({ key: bytes, format: "der", type: "spki" });
  if (format === "pkcs8") return createPrivateKey({ key: bytes, format: "der", type: "pkcs8" });
  throw new TypeError(`Unknown key format ${format}.`);
}

function usableKey(key: CryptoKey, usage: "sign" | "verify"): KeyObject {
  const object = keyObjects.get(key);
  if (!object) throw new TypeError("The key must come from importKey.");
  if (!key.usages.includes(usage)) throw new DOMException(`The key may not be used to ${usage}.`, "InvalidAccessError");
  return object;
}

function signatureOptions(algorithm: Algorithm, key: CryptoKey) {
  if (key.algorithm.name === "ECDSA") return { dsaEncoding: "ieee-p1363" } as const;
  if (key.algorithm.name !== "RSA-PSS") return {};
  const saltLength = typeof algorithm === "string" ? undefined : algorithm.saltLength;
  return { padding: constants.RSA_PKCS1_PSS_PADDING, ...(saltLength !== undefined && { saltLength }) };
}

/** Returns the hash of a signature. ECDSA names it per signature, RSA per key; Ed25519 has none. */
function signatureHash(algorithm: Algorithm, key: CryptoKey): string | null {
  if (key.algorithm.name === "Ed25519") return null;
  if (key.algorithm.name !== "ECDSA") return hashOfKey(key);
  return hashName(typeof algorithm === "string" ? "" : (algorithm.hash ?? ""));
}

const hashOfKey = ({ algorithm }: CryptoKey): string => hashName("hash" in algorithm ? (algorithm.hash as Algorithm) : "");

function hashName(algorithm: Algorithm): string {
  const name = (typeof algorithm === "string" ? algorithm : algorithm.name).toUpperCase();
  if (!["SHA-1", "SHA-256", "SHA-384", "SHA-512"].includes(name)) throw new Error(`Unrecognized digest algorithm ${name}`);
  return name.replace("-", "").toLowerCase();
}

const bytesOf = (data: Bytes): Uint8Array =>
  data instanceof ArrayBuffer ? new Uint8Array(data) : new Uint8Array(data.buffer, data.byteOffset, data.byteLength);

const copy = (bytes: Uint8Array): ArrayBuffer => new Uint8Array(bytes).buffer;
