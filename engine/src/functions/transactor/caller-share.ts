import type { Identity } from "../../values/types.ts";

/** Time in ms that one caller's functions may run before those of others go first. */
export const SHARE_MS = 250;

/** Returns the caller whose share a function uses. Null for administrators and tokens with the claim `service`, who act for many. */
export function shareKey(identity: Identity): string | null {
  if (identity.kind !== "user") return identity.kind === "admin" ? null : identity.kind;
  return identity.user["service"] === true ? null : identity.user.tokenIdentifier;
}
