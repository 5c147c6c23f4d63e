/**
 * The deployment's admin key: `name|hex`, as the official command line takes it by `--admin-key`.
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

const KEY_BYTES = 32;

/** 256 random bits behind the deployment's name. */
export function makeAdminKey(instanceName: string): string {
  return `${instanceName}|${randomBytes(KEY_BYTES).toString("hex")}`;
}

/** Compares in a time that tells nothing about where the keys differ. */
export function createAdminKeyCheck(adminKey: string): (candidate: string) => boolean {
  const expected = digest(adminKey);
  return (candidate) => timingSafeEqual(digest(candidate), expected);
}

const digest = (text: string) => createHash("sha256").update(text).digest();
