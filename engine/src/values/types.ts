/** JSON in the encoding of `convexToJson`. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Nanoseconds, strictly increasing, also across restarts. */
export type Timestamp = bigint;

/** As returned by `ctx.auth.getUserIdentity()`. */
export type UserIdentity = {
  tokenIdentifier: string;
  subject: string;
  issuer: string;
  [claim: string]: Json;
};

export type Identity =
  | { kind: "none" }
  | { kind: "user"; user: UserIdentity; expiresAt: number /* ms since 1970 */ }
  | { kind: "admin"; actingAs?: UserIdentity };

export type FunctionType = FunctionKind | "httpAction";
export type FunctionKind = "query" | "mutation" | "action";

/** A `console.*` line in the official clients' format. */
export type LogLine = string;
