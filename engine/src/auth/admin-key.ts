import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

const KEY_BYTES = 32;

export function makeAdminKey(instanceName: string): string {
  return `${instanceName}|${randomBytes(KEY_BYTES).toString("hex")}`;
}

export function createAdminKeyCheck(adminKey: string): (candidate: string) => boolean {
  const expected = digest(adminKey);
  return (candidate) => timingSafeEqual(digest(candidate), expected);
}

const digest = (text: string) => createHash("sha256").update(text).digest();
