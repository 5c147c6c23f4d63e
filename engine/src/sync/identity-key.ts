/** Returns equal keys for callers whom a query cannot distinguish, even with different tokens. */
import { createHash } from "node:crypto";
import type { Identity } from "../values/types.ts";

export function identityKey(identity: Identity): string {
  if (identity.kind === "none") return "none";
  if (identity.kind === "admin") return identity.actingAs === undefined ? "admin" : `admin:${hash(identity.actingAs)}`;
  return `user:${hash(identity.user)}`;
}

const hash = (value: unknown) => createHash("sha256").update(JSON.stringify(value)).digest("base64");
