import { createHash } from "node:crypto";
import { generateRandomString } from "better-auth/crypto";

/** The prefix lets secret scanners recognise a token. The rest has 238 bits. */
const PREFIX = "atl_";
const RANDOM_LENGTH = 40;
const TOKEN = new RegExp(`^${PREFIX}[A-Za-z0-9]{${RANDOM_LENGTH}}$`);

export const createAccessToken = (): string => PREFIX + generateRandomString(RANDOM_LENGTH, "a-z", "A-Z", "0-9");

export const hashAccessToken = (token: string): string => createHash("sha256").update(token).digest("base64url");

/** Returns the hash of the token in `Authorization: Bearer …`; null for another scheme or a malformed token. */
export function tokenHashOf(headers: Headers): string | null {
  const token = /^Bearer +(\S+)$/i.exec(headers.get("Authorization") ?? "")?.[1];
  return token !== undefined && TOKEN.test(token) ? hashAccessToken(token) : null;
}
